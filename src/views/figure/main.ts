/** Starts the page with its own figure, or with messages of a host. */
import { readFigure } from '../../analysis/figure/figure.ts';
import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import { connectHost, type Host } from './bridge.ts';
import { type Abilities, createPage, figureOutcomeOf } from './page.ts';
import { applyContext, browserSurroundings } from './surroundings.ts';

const root = document.getElementById('view');
const embedded = document.getElementById('figure')?.textContent ?? '';
const figure = readFigure(parseJson(embedded));
if (root && figure) {
  const page = createPage(root, {}, browserSurroundings());
  page.show({ state: 'figure', figure });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    page.setSurroundings(browserSurroundings()),
  );
} else if (root && window.parent !== window) {
  void followHost(root);
}

async function followHost(root: HTMLElement): Promise<void> {
  let surroundings = browserSurroundings();
  // Filled after the handshake; the page reads them when it draws.
  const abilities: Abilities = {};
  const page = createPage(root, abilities, surroundings);
  const sizes = new ResizeObserver(reportSize);
  let host: Host | undefined;
  let input: JsonObject | undefined;
  let hasAskedAgain = false;

  /** Reports the natural height: a height that depends on the frame would grow without end. */
  function reportSize(): void {
    const { width, height } = root.getBoundingClientRect();
    host?.notify('ui/notifications/size-changed', {
      width: Math.ceil(width),
      height: Math.ceil(height),
    });
  }

  function receive(result: JsonObject): void {
    const outcome = figureOutcomeOf(result);
    page.show(outcome);
    if (outcome.state === 'emptied') void askAgain();
  }

  /** Asks once; an answer that stays empty is reported. */
  async function askAgain(): Promise<void> {
    if (!host || !isRecord(host.capabilities.serverTools) || !input || hasAskedAgain) return;
    hasAskedAgain = true;
    page.show({ state: 'loading' });
    const answer = await host
      .request('tools/call', { name: 'show_figure', arguments: input })
      .catch((error: unknown) => ({ isError: true, content: [{ text: String(error) }] }));
    receive(isRecord(answer) ? answer : {});
  }

  host = await connectHost(window.parent, {
    'ui/notifications/tool-input'({ arguments: args }) {
      input = isRecord(args) ? args : {};
    },
    'ui/notifications/tool-result': receive,
    'ui/notifications/tool-cancelled': () => page.show({ state: 'cancelled' }),
    'ui/notifications/host-context-changed'(context) {
      surroundings = applyContext(surroundings, context);
      page.setSurroundings(surroundings);
    },
    'ui/resource-teardown'() {
      sizes.disconnect();
      page.close();
    },
  });
  Object.assign(abilities, abilitiesOf(host));
  sizes.observe(root);
}

function abilitiesOf({ capabilities, request }: Host): Abilities {
  return {
    ...(isRecord(capabilities.message) && {
      ask: (question: string) => {
        const content = [{ type: 'text', text: question }];
        // The host itself tells the reader of a refusal.
        request('ui/message', { role: 'user', content }).catch(() => undefined);
      },
    }),
  };
}
