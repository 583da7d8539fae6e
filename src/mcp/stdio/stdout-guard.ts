/** Sends to stderr what some library prints: stdout belongs to the protocol. */
export function keepStdoutClean(): void {
  console.log = console.error;
  console.info = console.error;
  console.debug = console.error;
}
