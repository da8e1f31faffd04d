# A virtual CPU that knows neither rseq nor what the agent does.
valgrind -q --error-exitcode=9 sh -c 'echo one; ls / >/dev/null; exit 4'; echo "status $?"
valgrind -q --tool=helgrind --error-exitcode=9 /bin/echo two; echo "status $?"
valgrind -q --tool=none python3 -c 'print("three")'; echo "status $?"
echo ok
