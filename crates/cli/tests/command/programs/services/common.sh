# What the scripts of services share. Each prints what has to be the same without lookback, and nothing else.
# The shell says of jobs that they were killed, or not, by when it sees it.
exec 2>/dev/null
await() { tries=0; until "$@" || [ $tries = 1500 ]; do sleep 0.02; tries=$((tries + 1)); done; }
