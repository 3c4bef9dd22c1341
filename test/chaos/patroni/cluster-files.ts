// The settings of a Patroni cluster of three PostgreSQL servers with etcd and HAProxy, as files and arguments. Pure. An
// operator's guide (docs/guides/failover.md) explains the same settings, with the times that suit machines of their
// own.

/** The ports of one server. Its peers, HAProxy and etcd reach it, or are reached, through links that can be cut. */
export interface NodePorts {
  readonly postgres: number;
  readonly restApi: number;
  /** Links to PostgreSQL: for clients (HAProxy), and for the other servers. */
  readonly clientLink: number;
  readonly peerLink: number;
  /** A link to Patroni's REST API, which HAProxy and the other servers ask. */
  readonly restApiLink: number;
  /** The link through which this server's Patroni reaches etcd. */
  readonly etcdLink: number;
}

export interface ClusterNode {
  /** `node-1` and so on. */
  readonly name: string;
  readonly ports: NodePorts;
  /** A folder of its own, for the data, the socket and the settings. */
  readonly folder: string;
}

export interface ClusterSettings {
  readonly nodes: readonly ClusterNode[];
  readonly etcd: { readonly client: number; readonly peer: number; readonly folder: string };
  readonly haproxy: { readonly port: number; readonly folder: string };
  /** The folder with initdb, postgres and pg_rewind. */
  readonly postgresPrograms: string;
  readonly password: string;
  /** A commit waits for a standby, and only that standby may be promoted. */
  readonly isSynchronous: boolean;
}

export const SCOPE = 'everyshare';
export const SUPERUSER = 'postgres';
export const PROGRAM_USER = 'everyshare';
export const DATABASE = 'everyshare';
const REPLICATION_USER = 'replicator';
const HOST = '127.0.0.1';

/** Patroni's default: a leader that is silent for this long is replaced. */
export const LEADER_TTL_SECONDS = 30;
/** Patroni's default is 10: here it notices sooner that a server has healed. */
export const LOOP_WAIT_SECONDS = 5;
/** Patroni's default. On a busy machine etcd may need seconds, and a leader that cannot reach it for this long gives up. */
const RETRY_SECONDS = 10;
/** Patroni's default, in bytes: a standby that is further behind is not promoted. */
const MAX_LAG_BYTES = 1_048_576;
/** The loss is the point of an asynchronous run, so a standby that is far behind may be promoted. */
const MAX_LAG_ASYNCHRONOUS_BYTES = 1_073_741_824;

/** Patroni reads YAML, of which JSON is a part. */
export function patroniFile({ name, ports, folder }: ClusterNode, settings: ClusterSettings): string {
  const { password, postgresPrograms } = settings;
  const account = (username: string) => ({ username, password });
  return JSON.stringify(
    {
      scope: SCOPE,
      name,
      restapi: { listen: `${HOST}:${ports.restApi}`, connect_address: `${HOST}:${ports.restApiLink}` },
      // The older interface of etcd: see etcdArguments. With a proxy Patroni does not ask etcd for its own address, around
      // the link that can cut it off.
      etcd: { host: `${HOST}:${ports.etcdLink}`, use_proxies: true },
      bootstrap: {
        dcs: sharedSettings(settings),
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
      },
      postgresql: {
        listen: `${HOST}:${ports.postgres}`,
        connect_address: `${HOST}:${ports.peerLink}`,
        data_dir: `${folder}/data`,
        bin_dir: postgresPrograms,
        pgpass: `${folder}/pgpass`,
        authentication: { superuser: account(SUPERUSER), replication: account(REPLICATION_USER) },
        parameters: { unix_socket_directories: folder },
        pg_hba: [`host all all ${HOST}/32 scram-sha-256`, `host replication all ${HOST}/32 scram-sha-256`],
        // A former leader whose log cannot be rewound is copied anew.
        remove_data_directory_on_rewind_failure: true,
        remove_data_directory_on_diverged_timelines: true,
      },
      watchdog: { mode: 'off' },
    },
    null,
    2,
  );
}

/** The settings that the servers share through etcd. */
function sharedSettings({ isSynchronous }: ClusterSettings): object {
  return {
    ttl: LEADER_TTL_SECONDS,
    loop_wait: LOOP_WAIT_SECONDS,
    retry_timeout: RETRY_SECONDS,
    maximum_lag_on_failover: isSynchronous ? MAX_LAG_BYTES : MAX_LAG_ASYNCHRONOUS_BYTES,
    // A crashed leader is replaced at once, not given five minutes to recover.
    primary_start_timeout: 0,
    synchronous_mode: isSynchronous,
    postgresql: {
      use_pg_rewind: true,
      use_slots: true,
      parameters: {
        max_connections: 150,
        // A server that is cut off must notice: the defaults are a minute, and hours.
        wal_sender_timeout: '10s',
        wal_receiver_timeout: '10s',
        tcp_keepalives_idle: 10,
        tcp_keepalives_interval: 5,
        tcp_keepalives_count: 3,
        // Ends a statement whose client is gone.
        client_connection_check_interval: '5s',
        shared_buffers: '64MB',
      },
    },
  };
}

/**
 * HAProxy sends connections to the server whose Patroni says that it is the leader, and ends those to a server that is
 * not, or does not answer: no client stays connected to a former leader.
 */
export function haproxyFile({ nodes, haproxy }: ClusterSettings): string {
  const servers = nodes.map(
    ({ name, ports }) => `  server ${name} ${HOST}:${ports.clientLink} check port ${ports.restApiLink}`,
  );
  return [
    'global',
    '  maxconn 1000',
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout check 4s',
    // The program's connections may be idle for long; its own time-outs end what hangs.
    '  timeout client 1h',
    '  timeout server 1h',
    'listen primary',
    `  bind ${HOST}:${haproxy.port}`,
    '  option httpchk OPTIONS /primary',
    '  http-check expect status 200',
    '  option clitcpka',
    '  option srvtcpka',
    '  default-server inter 1s fall 3 rise 1 on-marked-down shutdown-sessions',
    ...servers,
    '',
  ].join('\n');
}

/**
 * With the interface of version 2: Debian's Patroni 3.0.2 writes the leader's key through that of version 3 without
 * comparing it (fixed in 3.0.3, patroni/patroni#2689), so that a leader that was stopped for longer than its lease
 * takes the key from its successor when it goes on, and what the successor has acknowledged is lost.
 */
export function etcdArguments({ etcd }: ClusterSettings): readonly string[] {
  const client = `http://${HOST}:${etcd.client}`;
  const peer = `http://${HOST}:${etcd.peer}`;
  return [
    '--name=etcd',
    `--data-dir=${etcd.folder}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=etcd=${peer}`,
    '--enable-v2=true',
    '--log-level=error',
  ];
}

/** The address of a database at one port, for a user. */
export function addressAt(port: number, user: string, password: string, database: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${HOST}:${port}/${database}?sslmode=disable`;
}
