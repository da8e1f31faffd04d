# A runtime that makes its threads by clone(2), preempts them by SIGURG, and has stacks of its own.
export GOCACHE="$CACHE/go" GOFLAGS=-mod=mod GO111MODULE=off GOTOOLCHAIN=local
mkdir -p signals && cp "$PROGRAMS/signals.go" signals/main.go
(cd signals && go build -o ../program main.go) && ./program
echo "status $?"
CGO_ENABLED=0 go build -o static signals/main.go && ./static
echo "status $?"
echo ok
