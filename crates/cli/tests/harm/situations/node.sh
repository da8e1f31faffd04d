# An engine that compiles code while it runs.
node --expose-gc "$PROGRAMS/node_most.js"; echo "status $?"
echo 'throw new TypeError("no")' > thrown.js; node thrown.js 2>&1 | grep -c TypeError
echo 'process.abort()' > aborted.js; (ulimit -c 0; node aborted.js >/dev/null 2>&1; echo "status $?")
echo 'let x = ;' > wrong.js; node --check wrong.js 2>&1 | grep -c SyntaxError
echo ok
