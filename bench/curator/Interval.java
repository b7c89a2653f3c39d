import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Structure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The part of a workload that is measured: from the driver's line "go" until end(). */
final class Interval {
  /** The C library's struct rusage; all fields are longs. */
  @Structure.FieldOrder({"fields"})
  public static final class Usage extends Structure {
    public NativeLong[] fields = new NativeLong[18]; // 0-3: user and system time; 16, 17: context switches
  }

  /** The C library. */
  static final class C {
    static {
      Native.register("c");
    }

    static native int getrusage(int whose, Usage usage);
  }

  private final List<double[]> latencies = new ArrayList<>();
  private final Map<String, Double> notes = new TreeMap<>();
  private Usage usageBegun;
  private long begun;

  private static Usage usage() {
    Usage usage = new Usage();
    C.getrusage(0, usage);
    return usage;
  }

  private static double cpu(Usage usage) {
    NativeLong[] of = usage.fields;
    return of[0].longValue() + of[2].longValue() + 1e-6 * (of[1].longValue() + of[3].longValue());
  }

  private long switches(Usage ended, int field) {
    return ended.fields[field].longValue() - usageBegun.fields[field].longValue();
  }

  void begin() throws IOException {
    Peer.answer("{\"prepared\":true}");
    if (Peer.readLine() == null) {
      Runtime.getRuntime().halt(0);
    }
    usageBegun = usage();
    begun = System.nanoTime();
  }

  void end(long operations) {
    double seconds = secondsSoFar();
    Usage ended = usage();
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT,
        "{\"ops\":%d,\"seconds\":%.9f,\"cpu\":%.6f,\"voluntary\":%d,\"involuntary\":%d", operations, seconds,
        cpu(ended) - cpu(usageBegun), switches(ended, 16), switches(ended, 17)));
    double[] sorted = latencies.stream().flatMapToDouble(java.util.Arrays::stream).sorted().toArray();
    if (sorted.length > 0) {
      notes.put("p50", sorted[(int) (0.5 * (sorted.length - 1))]);
      notes.put("p90", sorted[(int) (0.9 * (sorted.length - 1))]);
      notes.put("p99", sorted[(int) (0.99 * (sorted.length - 1))]);
    }
    notes.forEach((name, value) -> line.append(String.format(Locale.ROOT, ",\"%s\":%.9f", name, value)));
    Peer.answer(line.append('}').toString());
  }

  double secondsSoFar() {
    return 1e-9 * (System.nanoTime() - begun);
  }

  synchronized void addLatencies(double[] seconds) {
    latencies.add(seconds);
  }

  void note(String name, double value) {
    notes.put(name, value);
  }
}
