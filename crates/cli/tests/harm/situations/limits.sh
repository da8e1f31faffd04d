# Limits that programs set for themselves or are given.
bash -c 'ulimit -v 1000000; ls / >/dev/null && echo listed; ulimit -v'
bash -c 'ulimit -v 64000; sort /dev/null && echo sorted'
python3 -c 'import resource; resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
print(len(bytearray(100 << 20)), resource.getrlimit(resource.RLIMIT_AS))'
python3 -c 'import resource; resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
try: bytearray(400 << 20)
except MemoryError: print("no memory")'
bash -c 'ulimit -n 20; python3 -c "
import os
files = []
try:
    while True: files.append(open(\"/dev/null\"))
except OSError as error: print(len(files), error)"'
bash -c 'ulimit -f 1; head -c 4000 /dev/zero > file; echo "status $?"; stat -c %s file' 2>/dev/null
bash -c 'ulimit -s 256; perl -e "print qq(small stack\n)"; ulimit -s'
bash -c 'ulimit -u 100000; ulimit -c 0; (kill -ABRT $BASHPID); echo "status $?"' 2>/dev/null
python3 -c 'import ctypes; libc = ctypes.CDLL(None); print(libc.mlockall(3), libc.munlockall())
print([line for line in open("/proc/self/status") if line.startswith("VmLck")])'
python3 -c 'import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
while True: pass'
echo "status $?"
echo ok
