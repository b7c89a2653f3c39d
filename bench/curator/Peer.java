import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;

/** Curator's peer of scripts/bench: reads commands on stdin, answers each with a line of JSON. */
public final class Peer {
  static final BufferedReader COMMANDS = new BufferedReader(new InputStreamReader(System.in));

  /** What a library lacks. */
  static final class Unsupported extends Exception {
    Unsupported(String what) {
      super(what);
    }
  }

  /** A line: a workload's name, then name=value pairs. */
  static final class Command {
    final String name;
    private final Map<String, String> values = new HashMap<>();

    Command(String line) {
      String[] words = line.trim().split(" +");
      name = words[0];
      for (int index = 1; index < words.length; index++) {
        String[] pair = words[index].split("=", 2);
        values.put(pair[0], pair[1]);
      }
    }

    int number(String key, int otherwise) {
      return Integer.parseInt(values.getOrDefault(key, Integer.toString(otherwise)));
    }

    String text(String key, String otherwise) {
      return values.getOrDefault(key, otherwise);
    }
  }

  static void answer(String line) {
    System.out.println(line);
    System.out.flush();
  }

  static String readLine() throws IOException {
    return COMMANDS.readLine();
  }

  public static void main(String[] arguments) throws Exception {
    CuratorLibrary library = new CuratorLibrary(arguments[0]);
    Workloads workloads = new Workloads(library);
    for (String line; (line = readLine()) != null; ) {
      Command what = new Command(line);
      try {
        switch (what.name) {
          case "rest" -> answer("{\"resting\":\"yes\"}");
          case "cycle" -> workloads.cycle(what);
          case "reentry" -> workloads.reentry(what);
          case "hand_over" -> workloads.handOver(what);
          case "queue" -> workloads.queue(what);
          default -> throw new Unsupported(what.name);
        }
      } catch (Unsupported missing) {
        answer("{\"unsupported\":\"" + missing.getMessage() + "\"}");
      } catch (Throwable failure) {
        failure.printStackTrace();
        answer("{\"error\":\"" + failure.toString().replace('"', '\'').replace('\n', ' ') + "\"}");
        Runtime.getRuntime().halt(1);
      }
    }
    Runtime.getRuntime().halt(0);
  }
}
