// Computes in more goroutines than there are CPUs, with signals, children and files; ends with status 3.
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func spin(number int) int {
	sum := 0
	for i := 0; i < 20_000_000; i++ {
		sum += i ^ number
	}
	return sum
}

func main() {
	signals := make(chan os.Signal, 100)
	signal.Notify(signals, syscall.SIGUSR1)
	var wait sync.WaitGroup
	sums := make([]int, 8)
	for number := range sums {
		wait.Add(1)
		go func(number int) { defer wait.Done(); sums[number] = spin(number) }(number)
	}
	for i := 0; i < 10; i++ {
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		<-signals
	}
	wait.Wait()
	fmt.Println("sums", sums[0] != 0, "signals 10")

	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	go func() {
		connection, _ := listener.Accept()
		connection.Write([]byte("hello"))
		connection.Close()
	}()
	connection, _ := net.Dial("tcp", listener.Addr().String())
	buffer := make([]byte, 10)
	n, _ := connection.Read(buffer)
	fmt.Println(string(buffer[:n]))

	out, err := exec.Command("sh", "-c", "echo from a child; exit 7").Output()
	fmt.Printf("%q %v\n", out, err)
	_, err = os.Open("missing")
	fmt.Println(err)
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		var nothing *int
		fmt.Println(*nothing)
	}()
	time.Sleep(10 * time.Millisecond)
	os.Exit(3)
}
