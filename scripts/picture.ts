import { ask, scenes } from '../src/cli/commands/demo.ts';
import { openFixedServer } from './fixed-server.ts';

/** Scenes of the demo that show at a glance what it is like, in the order of the demo. */
export const glance = [
  'How was yesterday, per shop, against a week earlier?',
  'Is that usual, and where does it come from?',
  'What does a mistake look like?',
];

/** What an analyst goes on to ask. */
export const questions = [
  'And the VAT?',
  'How many unpaid orders this month, and how much together?',
  'Which customers of last quarter stayed away last month?',
  'How much coffee is left in Utrecht Centraal?',
];

/** The lines of a real exchange: a client asks the server, and the server the sandbox. */
export async function picture(shown: readonly string[]): Promise<string[]> {
  const { client, close } = await openFixedServer();
  try {
    const lines: string[] = [];
    for (const scene of scenes.filter(([question]) => shown.includes(question))) {
      if (lines.length > 0) lines.push('');
      lines.push(`> ${scene[0]}`);
      // Ids of kept rows are others each time.
      const answer = (await ask(client, scene)).map((line) =>
        line.replaceAll(/\br_\w{10}\b/g, 'r_0123456789'),
      );
      for (const line of answer) lines.push(`  ${line}`.trimEnd());
    }
    return lines;
  } finally {
    await close();
  }
}
