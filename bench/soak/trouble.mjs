import { setTimeout as sleep } from 'node:timers/promises';

const faults = [
  ...['500', '502', '503', 'html', 'html=echo', 'body=empty', 'reset', 'reset=middle', 'body=cut'],
  ...[
    'body=not-text',
    'body=deep',
    'body=plain',
    'slow',
    'slow=body',
    'huge',
    'huge=headers',
    'redirect',
  ],
  ...[
    '401',
    'expired',
    '429',
    '429=none',
    'limits=none',
    'limits=unreadable',
    'limits=odd',
    'list=null',
  ],
  ...['list=high-total', 'list=low-total', 'list=shifting', 'list=repeated', 'list=stuck'],
];

const paths = ['/api*', '/api*', '/api/order*', '/api/report*', '/oauth/token', '/.well-known*'];

const pick = (list) => list[Math.floor(Math.random() * list.length)];

/** Turns another knob of the sandbox about every second, as long as it should go on. */
export async function trouble(control, clientId, goesOn) {
  while (goesOn()) {
    control.clearFaults();
    for (let count = Math.floor(Math.random() * 4); count > 0; count--) {
      const path = pick(paths);
      control.inject(`${pick(faults)}:path=${path},every=${pick([1, 1, 2, 3])},ms=1500`);
    }
    const chance = Math.random();
    if (chance < 0.1) control.expireTokens();
    else if (chance < 0.2) control.setQuota(pick([500, 3000, 10_000]));
    else if (chance < 0.25) await revoked(control, clientId);
    await sleep(300 + Math.random() * 1200);
  }
}

async function revoked(control, clientId) {
  control.revokeKey(clientId);
  await sleep(500);
  control.restoreKey(clientId);
}
