import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/** All nodes below one, each as path|kind|data|access list, without what is random in it. */
class Tree {
  private static final String UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
  private static final long OWNER_OF_CONTAINERS = Long.MIN_VALUE;

  private final CuratorFramework client;
  private final String top;
  private final List<String> lines = new ArrayList<>();

  Tree(CuratorFramework client, String top) throws Exception {
    this.client = client;
    this.top = top;
    below(top);
    Collections.sort(lines);
  }

  @Override
  public String toString() {
    return String.join(" ", lines);
  }

  private void below(String path) throws Exception {
    for (String child : client.getChildren().forPath(path)) {
      try {
        lines.add(line(path + "/" + child));
        below(path + "/" + child);
      } catch (KeeperException.NoNodeException gone) {
        lines.add(path + "/" + child + "|gone meanwhile");
      }
    }
  }

  private String line(String path) throws Exception {
    Stat stat = new Stat();
    StringBuilder data = new StringBuilder();
    for (byte one : client.getData().storingStatIn(stat).forPath(path)) {
      data.append(String.format("%02x", one));
    }
    StringBuilder access = new StringBuilder();
    for (ACL one : client.getACL().forPath(path)) {
      access.append(one.getId().getScheme()).append(':').append(one.getId().getId()).append('=').append(one.getPerms());
    }
    return path.substring(top.length()).replaceAll(UUID, "<uuid>") + "|" + kind(stat) + "|" + data + "|" + access;
  }

  private static String kind(Stat stat) {
    long owner = stat.getEphemeralOwner();
    return owner == 0 ? "persistent" : owner == OWNER_OF_CONTAINERS ? "container" : "ephemeral";
  }
}
