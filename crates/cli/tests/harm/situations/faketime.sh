# Another object that is preloaded, and changes the clock under us.
faketime '2020-02-20 20:20:20' date +%F
faketime -f '@2000-01-01 00:00:00' sh -c '
date +%Y
sleep 0.01
perl -e "print((localtime)[5] + 1900, qq(\n))"'
faketime '2030-01-01' python3 -c '
import datetime, threading
thread = threading.Thread(target=lambda: print(datetime.date.today().year))
thread.start()
thread.join()'
echo ok
