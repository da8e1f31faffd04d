# A program that uses most of what is in libstdc++ itself.
libstdcxx=$CACHE/libstdcxx
if [ ! "$libstdcxx" -nt "$PROGRAMS/libstdcxx.cpp" ]; then
    env -u LD_PRELOAD c++ -std=c++17 -O1 -w -o "$libstdcxx.$$" "$PROGRAMS/libstdcxx.cpp" -pthread
    mv "$libstdcxx.$$" "$libstdcxx"
fi
"$libstdcxx"; echo "status $?"
"$libstdcxx" terminated | tail -1
"$libstdcxx" terminated >/dev/null; echo "status $?"
echo ok
