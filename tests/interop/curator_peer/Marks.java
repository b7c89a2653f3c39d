import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** What holders of one lock leave in a directory to see each other by: see marks.hpp, whose twin it is. */
class Marks {
  /** Two held that exclude each other. */
  static class Violation extends Exception {
    private static final long serialVersionUID = 1;

    Violation(String what) {
      super(what);
    }
  }

  private static final int LONGEST_STAY_MS = 10;
  private static long entered = 0;

  private final Path directory;
  private final String name;
  private final List<Path> mine = new ArrayList<>();

  Marks(Path directory, String name) {
    this.directory = directory;
    this.name = name;
  }

  void enterAlone() throws IOException, Violation {
    if (!make("alone")) {
      throw new Violation(name + ": Curator alone beside another alone");
    }
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, name + ".shared-*")) {
      if (found.iterator().hasNext()) {
        throw new Violation(name + ": Curator alone beside a holder that shares");
      }
    }
  }

  void enterShared() throws IOException, Violation {
    make("shared-" + ProcessHandle.current().pid() + "-" + ++entered);
    if (Files.exists(directory.resolve(name + ".alone"))) {
      throw new Violation(name + ": Curator shares beside a holder that is alone");
    }
  }

  void takePlaces(int count, int limit) throws IOException, Violation {
    for (int place = 0; place < limit && mine.size() < count; ++place) {
      make("place-" + place);
    }
    if (mine.size() < count) {
      throw new Violation(name + ": Curator has found no free place");
    }
  }

  /** Stays while there is room for more, though not for long. */
  void awaitOthers(int limit) throws IOException, InterruptedException {
    for (int look = 0; look < LONGEST_STAY_MS; ++look) {
      int taken = 0;
      for (int place = 0; place < limit; ++place) {
        taken += Files.exists(directory.resolve(name + ".place-" + place)) ? 1 : 0;
      }
      if (taken == limit) {
        append(directory.resolve(name + ".full"), 'f');
        return;
      }
      Thread.sleep(1);
    }
  }

  void leave() throws IOException {
    for (Path one : mine) {
      Files.delete(one);
    }
  }

  /** Reads, adds one, writes back: nothing but the lock keeps it exact. */
  void count() throws IOException {
    Path counter = directory.resolve(name + ".counter");
    long value = Files.exists(counter) ? Long.parseLong(Files.readString(counter).trim()) : 0;
    Files.writeString(counter, (value + 1) + "\n");
  }

  private boolean make(String what) throws IOException {
    try {
      mine.add(Files.createFile(directory.resolve(name + "." + what)));
      return true;
    } catch (FileAlreadyExistsException taken) {
      return false;
    }
  }

  private static void append(Path file, char letter) throws IOException {
    Files.write(file, new byte[] {(byte) letter}, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** The order of grants: a letter each. */
  static class Order {
    private final Path file;
    private final Path stopped;

    Order(Path directory) {
      file = directory.resolve("order");
      stopped = directory.resolve("stopped");
    }

    void append(char letter) throws IOException {
      Marks.append(file, letter);
    }

    /** For all, since something was wrong. */
    void stop() throws IOException {
      Marks.append(stopped, 's');
    }

    boolean over(int share, String sides) throws IOException {
      if (Files.exists(stopped)) {
        return true;
      }
      String text = Files.exists(file) ? Files.readString(file, StandardCharsets.US_ASCII).toUpperCase() : "";
      return sides.chars().allMatch(side -> text.chars().filter(one -> one == side).count() >= share);
    }
  }
}
