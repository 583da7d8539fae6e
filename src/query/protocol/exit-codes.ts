/** With this code the engine's process ends itself when a statement takes too much memory. */
export const outOfMemoryExit = 79;

/** With this code it ends when the engine cannot be loaded on this platform. */
export const unavailableExit = 78;
