import type { ListedTool } from '../../../mcp/tools/catalogue.ts';
import type { PropertySchema } from '../../../mcp/tools/json-schema.ts';
import { ownCommand } from '../../program.ts';
import { paint } from '../../terminal/paint.ts';
import { wrap } from '../../terminal/wrap.ts';
import { examples } from './examples.ts';

/** What is printed about one tool. */
export interface ToolView {
  /** What it costs a model's context. */
  tokens: string;
  /** Flags of an example: where there is no account, the sandbox answers. */
  flags: readonly string[];
  /** Lines are broken to it, or not at all without one. */
  width?: number;
}

/** One tool with all its arguments, an example and its cost, as text. */
export function renderTool(tool: ListedTool, view: ToolView): string {
  const { name, title, description, inputSchema } = tool;
  const required = new Set(inputSchema.required ?? []);
  const properties = Object.entries(inputSchema.properties ?? {});
  const column = Math.max(0, ...properties.map(([key]) => key.length + 1)) + 4;
  const lines = properties.flatMap(([key, schema]) => {
    const room = view.width === undefined ? undefined : Math.max(30, view.width - column);
    const [first = '', ...rest] = wrap(explain(schema), room);
    const head = `  ${`${key}${required.has(key) ? '*' : ''}`.padEnd(column - 2)}`;
    return [head + first, ...rest.map((line) => ' '.repeat(column) + line)].map((it) =>
      it.trimEnd(),
    );
  });
  return [
    `${paint('bold', name)}  ${title}`,
    ...wrap(description, view.width),
    '',
    lines.length > 0 ? 'Arguments (* is required):' : 'It takes no arguments.',
    ...lines,
    '',
    ...exampleLines(name, view.flags),
    `It costs a model about ${view.tokens} tokens of context, beside its answers.`,
  ].join('\n');
}

function explain({
  type,
  items,
  description,
  minimum,
  maximum,
  ...schema
}: PropertySchema): string {
  const words = schema.enum ?? items?.enum;
  const bounds =
    minimum !== undefined || maximum !== undefined
      ? [`${minimum ?? ''}..${maximum === undefined || maximum > 1e9 ? '' : maximum}`]
      : [];
  const kind = type === 'array' ? `list of ${items?.type ?? 'value'}s` : (type ?? 'value');
  return [
    ...(description === undefined ? [] : [`${description}.`.replace(/([.!?])\.$/, '$1')]),
    ...(words ? [`One of ${words.join(', ')}.`] : []),
    `(${[kind, ...bounds, ...(schema.default === undefined ? [] : [`default ${String(schema.default)}`])].join(', ')})`,
  ].join(' ');
}

function exampleLines(name: string, flags: readonly string[]): string[] {
  const example = examples[name];
  if (example === undefined) return [];
  const given = example.isOfSandbox ? ['--sandbox'] : flags;
  const line = (call: string) => `  ${[ownCommand(), 'call', call, ...given].join(' ')}`;
  return [
    example.first === undefined ? 'Try it:' : 'Try it, with an id of the first:',
    ...(example.first === undefined ? [] : [line(example.first)]),
    line(example.call),
    '',
  ];
}
