# 5,000 threads and 5,000 processes.
cc -O1 -o tasks "$PROGRAMS/tasks.c" -pthread && ./tasks
echo "status $?"
echo ok
