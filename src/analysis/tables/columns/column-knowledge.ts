import { sampleOf } from '../../../core/sample.ts';
import type { DescribedColumn } from '../../../endpoints/openapi.ts';
import type { ToolDefinition } from '../../define-tool.ts';
import type { Fence } from '../../fence.ts';
import { missingToolset } from '../../fence.ts';
import type { ColumnType } from '../../rows/column-profile.ts';
import { type ColumnProfile, profileColumns } from '../../rows/column-profile.ts';
import type { Row } from '../../rows/rows.ts';

/** What is known of a table's column. */
export interface KnownColumn {
  /** With dots where it is nested: `address.city`. */
  name: string;
  type: ColumnType;
  /** Values seen so far, where there are few: a sample, never all that may occur. */
  values?: readonly string[];
}

/** The columns of tables, from answers of this account and from the platform's own description. */
export interface ColumnKnowledge {
  /** Learns from rows of a table. */
  remember(table: string, rows: readonly Row[]): void;
  /** Learns the paths and measures of a report from its facts. */
  rememberFacts(table: string, facts: readonly Row[]): void;
  /** The measures of a report by their path, with how they are split; empty where none was read. */
  facts(table: string): ReadonlyMap<string, KnownPath>;
  /** Undefined where nothing is known. Columns that were empty so far have the type `empty`. */
  columns(table: string): readonly KnownColumn[] | undefined;
}

/** What stands at a path of a report. */
export interface KnownPath {
  measures: ReadonlySet<string>;
  /** Such as `shop`. */
  splits: ReadonlySet<string>;
}

/** Most paths, and measures of a path, that are remembered. */
const maxNames = 60;

/** Rows that are looked at to learn from an answer. */
const sampleSize = 300;
const maxValues = 12;

/** What is known, as far as a caller may have it: names and values of what they lack are not said. */
export function knowledgeWithin(
  knowledge: ColumnKnowledge,
  fence: Fence,
  tools: readonly ToolDefinition[],
): ColumnKnowledge {
  const byName = new Map(tools.map((tool) => [tool.tool, tool]));
  return {
    ...knowledge,
    columns(table) {
      const tool = byName.get(table);
      if (tool === undefined) return undefined;
      return knowledge
        .columns(table)
        ?.filter(({ name }) => missingToolset(fence, tool, name) === undefined);
    },
  };
}

/** What the platform's own description says, by tool. */
export type DescribedTables = ReadonlyMap<string, readonly DescribedColumn[]>;

/**
 * Has seen nothing yet.
 * @param described read whenever somebody asks for columns
 */
export function createColumnKnowledge(
  described: () => DescribedTables = () => new Map(),
): ColumnKnowledge {
  const seen = new Map<string, Map<string, KnownColumn>>();
  const reports = new Map<string, Map<string, { measures: Set<string>; splits: Set<string> }>>();
  return {
    facts: (table) => reports.get(table) ?? new Map(),
    rememberFacts(table, facts) {
      const paths = reports.get(table) ?? new Map();
      reports.set(table, paths);
      for (const { path, measure, split } of facts) {
        const known = paths.get(String(path)) ?? { measures: new Set(), splits: new Set() };
        if (known.measures.size < maxNames) known.measures.add(String(measure));
        known.splits.add(String(split));
        if (paths.size < maxNames) paths.set(String(path), known);
      }
    },
    remember(table, rows) {
      if (rows.length === 0) return;
      const known = seen.get(table) ?? new Map<string, KnownColumn>();
      for (const profile of profileColumns(sampleOf(rows, sampleSize)))
        known.set(profile.name, merged(known.get(profile.name), profile));
      seen.set(table, known);
    },
    columns(table) {
      const own = seen.get(table);
      const told = described().get(table);
      if (own === undefined) return told;
      const unseen = (told ?? []).filter(({ name }) => !own.has(name));
      return [...own.values(), ...unseen].map((column) => {
        const tells = column.type === 'empty' && told?.find(({ name }) => name === column.name);
        return tells ? { ...column, type: tells.type } : column;
      });
    },
  };
}

function merged(known: KnownColumn | undefined, profile: ColumnProfile): KnownColumn {
  const { name, type } = profile;
  const listed = profile.type === 'text' || profile.type === 'integer' ? profile.values : undefined;
  const values = [...new Set([...(known?.values ?? []), ...Object.keys(listed ?? {})])];
  const isOpen = known !== undefined && known.values === undefined && known.type !== 'empty';
  const isShort = listed !== undefined && !isOpen && values.length <= maxValues;
  return {
    name,
    type: type === 'empty' ? (known?.type ?? type) : joinedType(known?.type, type),
    ...(isShort && { values }),
  };
}

function joinedType(known: ColumnType | undefined, found: ColumnType): ColumnType {
  if (known === undefined || known === 'empty' || known === found) return found;
  const numbers: readonly ColumnType[] = ['integer', 'decimal'];
  return numbers.includes(known) && numbers.includes(found) ? 'decimal' : 'mixed';
}
