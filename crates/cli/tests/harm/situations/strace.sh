# A tracer that stops the program at each call, and injects errors.
strace -f -o /dev/null sh -c 'ls / >/dev/null; echo watched; exit 3'; echo "status $?"
strace -f -o /dev/null -e inject=close:error=EIO:when=200+ sh -c 'echo with errors; cat /dev/null'
echo "status $?"
strace -f -c -o counts python3 -c '
import threading
thread = threading.Thread(target=print, args=("in a thread",))
thread.start()
thread.join()'
echo "status $?"
echo ok
