# Trees of processes, sessions, jobs and signals.
i=0; while [ $i -lt 300 ]; do /bin/true & i=$((i + 1)); done; wait; echo "300 in the background"
(sleep 5 & kill -TERM $!; wait $!; echo "status $?") 2>/dev/null
(sh -c 'kill -STOP $$; exit 8' & until grep -q '^State:.T' /proc/$!/status; do sleep 0.01; done
    kill -CONT $!; wait $!; echo "status $?")
setsid -w sh -c 'ps -o stat= -p $$ | cut -c1-2; exit 3'; echo "status $?"
nohup sh -c 'echo with no terminal' 2>/dev/null
timeout 0.1 sleep 5; echo "status $?"
timeout -s KILL 0.1 sleep 5 2>/dev/null; echo "status $?"
seq 1 200 | xargs -P 4 -n 1 sh -c 'exit 0' && echo "xargs"
nice -n 5 nice; env -i A=1 env | grep -v '^LD_PRELOAD=\|^LOOKBACK_SESSION='
exec 9< /dev/null; ls -l /proc/self/fd | grep -c '^l'
bash -c 'exec -a renamed cat /proc/self/comm'
echo ok
