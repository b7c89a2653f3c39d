import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One lock over and over, until each side has had its share: see hammer.hpp, whose twin it is. */
class Hammer {
  private static final long PATIENCE_MS = 60_000;
  private static final int MOST_ROUNDS_PER_SHARE = 100;

  private final Locks locks;
  private final String kind;
  private final String paths;
  private final Path directory;

  Hammer(Locks locks, String kind, String paths, Path directory) {
    this.locks = locks;
    this.kind = kind;
    this.paths = paths;
    this.directory = directory;
  }

  /** `letter` stands for this side in the order of grants, `sides` are the letters of all. */
  String strike(char letter, String sides, int share) throws Exception {
    Marks.Order order = new Marks.Order(directory);
    for (int round = 0; !order.over(share, sides); ++round) {
      String wrong = round == MOST_ROUNDS_PER_SHARE * share
          ? "failed: the other side does not come in"
          : once(kind.equals("sides") ? (round % 3 == 0 ? "write" : "read") : kind, letter, order);
      if (!wrong.isEmpty()) {
        order.stop();
        return wrong;
      }
    }
    return "done";
  }

  /** What was wrong, if anything was. */
  private String once(String now, char letter, Marks.Order order) throws Exception {
    Locks.Lock lock = locks.of(now, paths);
    if (!lock.acquire(PATIENCE_MS)) {
      return "failed: not in time";
    }
    try {
      inside(now, letter, order);
    } catch (Marks.Violation violation) {
      return "violated: " + violation.getMessage();
    } catch (Exception failure) {
      return "failed: " + failure;
    } finally {
      lock.release();
    }
    return "";
  }

  private void inside(String now, char letter, Marks.Order order) throws Exception {
    List<Marks> all = new ArrayList<>();
    for (String path : paths.split(",")) {
      all.add(new Marks(directory, path.substring(path.lastIndexOf('/') + 1)));
    }
    String[] words = now.split(":");
    boolean shared = words[0].equals("read") || words[0].equals("permits");
    for (Marks one : all) {
      switch (words[0]) {
        case "read":
          one.enterShared();
          break;
        case "permits":
          one.takePlaces(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
          one.awaitOthers(Integer.parseInt(words[2]));
          break;
        default:
          one.enterAlone();
          one.count();
      }
    }
    order.append(shared ? Character.toLowerCase(letter) : letter);
    for (Marks one : all) {
      one.leave();
    }
  }
}
