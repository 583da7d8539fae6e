/** With this code the engine's process ends itself when a statement takes too much memory. */
export const outOfMemoryExit = 79;
