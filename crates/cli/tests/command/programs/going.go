// Does what its input says, line by line: grows stacks of goroutines, collects garbage, is profiled.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"sync"
)

type Counter struct{ count int }

//go:noinline
func leaf(n int) int { return n + 1 }

//go:noinline
func (c *Counter) Add(n int) int {
	c.count += n
	return leaf(c.count)
}

// A frame of some size: goroutines that call it get other stacks again and again.
//
//go:noinline
func grow(n int) int {
	var frame [100]int
	for i := range frame {
		frame[i] = n
	}
	if n == 0 {
		return frame[3]
	}
	return grow(n-1) + frame[n%100]
}

//go:noinline
func double[E int | float64](x E) E { return x + x }

//go:noinline
func scalar(a, b, c, d float64) float64 { return a*b + c*d }

//go:noinline
func count(c *Counter) int { return c.count }

func recovered() (what string) {
	defer func() { what = fmt.Sprint(recover()) }()
	return fmt.Sprint(count(nil))
}

var garbage [][]int

// What one of eight goroutines does in so many rounds.
func worker(rounds int) int {
	c, sum := &Counter{}, 0
	for i := 0; i < rounds; i++ {
		sum += c.Add(i) + grow(i%40) + double(i) + int(double(1.5)) + int(scalar(1, 2, 3, float64(i)))
		if i%16 == 0 {
			garbage = [][]int{make([]int, 100), make([]int, 10)}
		}
	}
	return sum
}

func work(rounds int) int {
	var all sync.WaitGroup
	var sums [8]int
	for index := range sums {
		all.Add(1)
		go func(sum *int) {
			defer all.Done()
			*sum = worker(rounds)
		}(&sums[index])
	}
	all.Wait()
	total := 0
	for _, sum := range sums {
		total += sum
	}
	return total
}

// Threads that end with their goroutines.
func threads(count int) int {
	done := make(chan int)
	for i := 0; i < count; i++ {
		go func() {
			runtime.LockOSThread()
			done <- leaf(0)
		}()
		<-done
	}
	return count
}

func main() {
	profile, _ := os.Create(os.Args[1])
	stop := make(chan bool)
	input := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	for input.Scan() {
		command, number := "", 0
		fmt.Sscan(input.Text(), &command, &number)
		switch command {
		case "work":
			fmt.Println("worked", work(number))
		case "threads":
			fmt.Println("threads", threads(number))
		case "recover":
			fmt.Println(recovered())
		case "execute":
			out, err := exec.Command("echo", "child").Output()
			fmt.Println(string(out), err)
		case "read":
			for i := 0; i < number; i++ {
				os.ReadFile("/etc/hostname")
			}
			fmt.Println("read", number)
		case "disturb":
			pprof.StartCPUProfile(profile)
			go func() {
				for {
					select {
					case <-stop:
						return
					default:
						runtime.GC()
					}
				}
			}()
			fmt.Println("disturbed")
		case "calm":
			stop <- true
			pprof.StopCPUProfile()
			size, _ := profile.Seek(0, 2)
			fmt.Println("profiled", size > 0)
		case "quit":
			os.Exit(7)
		}
	}
}
