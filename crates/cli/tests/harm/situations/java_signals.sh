# A virtual machine that makes faults on purpose, stops its threads by them, and takes signals.
cp "$PROGRAMS/Signals.java" .
java -XX:-UsePerfData -XX:+UseParallelGC -Xmx64m -Xint Signals.java
echo "status $?"
java -XX:-UsePerfData -XX:+UseG1GC -Xmx64m Signals.java
echo "status $?"
echo ok
