import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.ProtectedUtils;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.retry.RetryNTimes;

/**
 * A process that takes part in locks by Curator's recipes; the words are those of peer.hpp, each answered with a line.
 * Arguments: servers, session timeout in ms.
 */
public class CuratorPeer {
  private static final int CONNECTION_TIMEOUT_MS = 10_000;
  private static final int RETRIES = 50;  // as long as an expired session takes to be replaced, and longer
  private static final int RETRY_MS = 100;

  private final CuratorFramework client;
  private final Locks locks;

  private CuratorPeer(CuratorFramework client) {
    this.client = client;
    this.locks = new Locks(client);
  }

  public static void main(String[] arguments) throws Exception {
    try (CuratorFramework client = CuratorFrameworkFactory.newClient(arguments[0], Integer.parseInt(arguments[1]),
             CONNECTION_TIMEOUT_MS, new RetryNTimes(RETRIES, RETRY_MS))) {
      client.start();
      CuratorPeer peer = new CuratorPeer(client);
      BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        System.out.println(peer.answer(order.split(" ")));
        System.out.flush();
      }
    }
  }

  private String answer(String[] order) {
    try {
      return obey(order);
    } catch (Exception failure) {
      return "failed: " + failure;
    }
  }

  private String obey(String[] order) throws Exception {
    switch (order[0]) {
      case "connect":
        return client.blockUntilConnected(CONNECTION_TIMEOUT_MS, TimeUnit.MILLISECONDS) ? "connected" : "not in time";
      case "acquire":
        return locks.of(order[1], order[2]).acquire(Long.parseLong(order[3])) ? "held" : "not in time";
      case "release":
        locks.of(order[1], order[2]).release();
        return "released";
      case "downgrade":
        locks.downgrade(order[1]);
        return "downgraded";
      case "hammer":
        return new Hammer(locks, order[1], order[2], Path.of(order[3])).strike(order[4].charAt(0), order[5],
            Integer.parseInt(order[6]));
      case "revoke":
        Revoker.attemptRevoke(client, order[1]);
        return "asked";
      case "asked":
        return locks.wasAsked() ? "asked" : "not asked";
      case "participants":
        return last(locks.of(order[1], order[2]).participants());
      case "leader":
        return "leader " + Elections.leader(client, order[1], order[2]);
      case "tree":
        return new Tree(client, order[1]).toString();
      case "protection":
        return ProtectedUtils.extractProtectedId(order[1]).orElse("none") + " " + ProtectedUtils.normalize(order[1]);
      default:
        return "no such order: " + order[0];
    }
  }

  private static String last(Iterable<String> paths) {
    List<String> names = new ArrayList<>();
    for (String path : paths) {
      names.add(path.substring(path.lastIndexOf('/') + 1));
    }
    return String.join(" ", names);
  }
}
