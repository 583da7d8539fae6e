import { InputError } from '../../core/errors.ts';
import type { Message } from '../../core/message.ts';
import type { Answer, Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { explain } from '../errors/explain.ts';
import { readArguments } from '../read-arguments.ts';
import type { Services } from '../services.ts';
import type { DefinitionProblem } from '../tables/definitions.ts';
import { type Brief, type BriefBlock, readBrief } from './brief.ts';

declare module '../../core/message.ts' {
  interface Messages {
    lacks_tool: { tool: string };
  }
}

/** A block with its answer, or with why it has none. */
export interface AnsweredBlock {
  block: BriefBlock;
  found?: { tool: ToolDefinition; answer: Answer };
  failure?: Message;
}

/** A brief with what became of its blocks. */
export interface AnsweredBrief extends Omit<Brief, 'parts'> {
  parts: readonly (string | AnsweredBlock)[];
}

/** Who asks: their services and tools, and the call. */
interface Asking {
  services: Services;
  tools: readonly ToolDefinition[];
  call: Call;
}

/**
 * Asks the blocks of a brief, one after the other, so that what one has read the next has. News without rows is left
 * out; a block that fails says why, and the others stand.
 */
export async function answerBrief(brief: Brief, asking: Asking): Promise<AnsweredBrief> {
  const parts: (string | AnsweredBlock)[] = [];
  for (const part of brief.parts) {
    const answered = typeof part === 'string' ? part : await answerBlock(part, asking);
    if (typeof answered === 'string' || !answered.block.isNews || hasRows(answered))
      parts.push(answered);
  }
  return { ...brief, parts };
}

/** The blocks that were answered, or were not. */
export function blocksOf({ parts }: AnsweredBrief): AnsweredBlock[] {
  return parts.filter((part) => typeof part !== 'string');
}

/** A figure is drawn of rows. */
function hasRows({ found }: AnsweredBlock): boolean {
  const answer = found?.answer.kind === 'figure' ? found.answer.drawnFrom : found?.answer;
  return answer === undefined || !('rows' in answer) || answer.rows.length > 0;
}

async function answerBlock(
  block: BriefBlock,
  { services, tools, call }: Asking,
): Promise<AnsweredBlock> {
  const tool = tools.find((it) => it.tool === block.tool);
  try {
    if (tool === undefined) throw new InputError({ code: 'lacks_tool', tool: block.tool });
    const shared = { ...call, sharesRows: true } as const;
    const answer = await tool.answer(services, readArguments(tool, block.arguments), shared);
    return { block, found: { tool, answer } };
  } catch (error) {
    call.signal?.throwIfAborted();
    const failed = tool && { tool, input: block.arguments };
    return { block, failure: await explain(services, error, failed, call.signal) };
  }
}

/** What is wrong with briefs: in their files, and with blocks, which are asked for it. */
export async function checkBriefs(folders: ReadonlyMap<string, string>, asking: Asking) {
  const problems: DefinitionProblem[] = [];
  for (const name of folders.keys())
    try {
      const file = `briefs/${name}.md`;
      for (const { block, failure } of blocksOf(
        await answerBrief(readBrief(folders, name), asking),
      ))
        if (failure) problems.push({ file, line: block.line, reason: failure });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push({ reason: error.reason });
    }
  return problems;
}
