// What Citus says about nodes and tables.

import { sortByDependency } from './sort-by-dependency.ts';

export interface Client {
  query<R extends object>(text: string, values?: unknown[]): Promise<{ rows: R[] }>;
}

export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

interface FoundNode extends NodeAddress {
  readonly isCoordinator: boolean;
}

export interface FoundTable {
  readonly name: string;
  readonly hasVenue: boolean;
  readonly isPlaced: boolean;
  /** Its foreign keys to other tables. */
  readonly references: readonly { readonly constraint: string; readonly target: string }[];
}

export async function readNodes(client: Client): Promise<FoundNode[]> {
  const { rows } = await client.query<FoundNode>(
    'select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node order by nodeid',
  );
  return rows;
}

/** Tables of the program without partitions, those first to which others refer. */
export async function readTables(client: Client): Promise<FoundTable[]> {
  const { rows } = await client.query<FoundTable>(
    `select c.relname as name,
       exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'venue_id' and not a.attisdropped) as "hasVenue",
       exists (select from pg_dist_partition p where p.logicalrelid = c.oid
         and (p.partmethod = 'h' or p.partmethod = 'n' and p.repmodel = 't')) as "isPlaced",
       coalesce((select json_agg(json_build_object('constraint', f.conname, 'target', t.relname) order by f.conname)
         from pg_constraint f join pg_class t on t.oid = f.confrelid
         where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid), '[]') as "references"
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by c.relname`,
  );
  const referred = ({ references }: FoundTable): FoundTable[] =>
    rows.filter(({ name }) => references.some(({ target }) => target === name));
  return sortByDependency(rows, referred);
}

/** Where each table is, in words; a table that is missing here is on the coordinator. */
export async function readPlacements(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; place: string }>(
    `select c.relname as name, case when p.partmethod = 'h'
         then 'by ' || column_to_column_name(p.logicalrelid, p.partkey) else 'on every node' end as place
     from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
     where p.partmethod = 'h' or p.partmethod = 'n' and p.repmodel = 't'`,
  );
  return new Map(rows.map(({ name, place }) => [name, place]));
}
