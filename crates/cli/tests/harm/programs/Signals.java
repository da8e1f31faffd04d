import java.io.*;
import java.util.*;
import java.util.concurrent.*;

/** Null pointers, stack overflows and collections in threads, with children and files; ends with status 3. */
public class Signals {
    static int deep(int n) { return n == 0 ? 0 : 1 + deep(n + 1); }

    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> results = new ArrayList<>();
        for (int task = 0; task < 8; task++) {
            results.add(pool.submit(() -> {
                int caught = 0;
                List<byte[]> kept = new ArrayList<>();
                for (int i = 0; i < 3000; i++) {
                    try {
                        Object nothing = i < 0 ? "" : null;
                        nothing.hashCode();
                    } catch (NullPointerException expected) { caught++; }
                    kept.add(new byte[1000]);
                    if (kept.size() > 1000) kept.clear();
                }
                try { deep(1); } catch (StackOverflowError expected) { caught++; }
                return caught;
            }));
        }
        int sum = 0;
        for (Future<Integer> result : results) sum += result.get();
        pool.shutdown();
        System.gc();
        System.out.println("caught " + sum);
        Process child = new ProcessBuilder("sh", "-c", "echo from a child; exit 7").start();
        System.out.println(new String(child.getInputStream().readAllBytes()).trim() + " " + child.waitFor());
        try { new FileInputStream("missing"); } catch (FileNotFoundException e) { System.out.println(e.getMessage()); }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        System.exit(3);
    }
}
