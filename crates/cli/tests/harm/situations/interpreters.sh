# Interpreters with forks, threads, signals and child processes.
cat > script.pl <<'PERL'
$| = 1;
$SIG{ALRM} = sub { print "alarm\n" };
alarm 1;
select undef, undef, undef, 3;
my $child = fork // die;
exit 4 unless $child;
waitpid $child, 0;
print $? >> 8, "\n";
open F, "<", "missing" or print "$!\n";
kill 9, $$ if fork == 0;
wait;
print $? & 127, "\n";
PERL
perl script.pl
cat > script.py <<'PYTHON'
import asyncio, concurrent.futures, ctypes, mmap, multiprocessing, os, resource, signal, subprocess, threading
def square(x): return x * x
def main():
    for method in ["fork", "spawn", "forkserver"]:
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, sum(pool.map(square, range(100))))
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        print(sum(pool.map(square, range(1000))))
    async def child():
        process = await asyncio.create_subprocess_exec("sh", "-c", "echo out; echo err >&2; exit 2",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return await process.communicate(), process.returncode
    print(asyncio.run(child()))
    print(ctypes.CDLL(None, use_errno=True).open(b"missing", 0), ctypes.get_errno())
    memory = mmap.mmap(-1, 1 << 20); memory[:4] = b"four"; print(memory[:4])
    print(resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_STACK))
    print(subprocess.run(["kill -SEGV $$"], shell=True).returncode)
    print(signal.sigpending(), signal.pthread_sigmask(signal.SIG_BLOCK, []))
if __name__ == "__main__":
    main()
PYTHON
python3 script.py
bash -c '
coproc cat
echo to it >&${COPROC[1]}
read -u ${COPROC[0]} line
echo "back: $line"
exec 3<>/dev/null
echo $BASHPID | grep -c .
trap "echo trapped" EXIT
exit 6'
echo "status $?"
echo ok
