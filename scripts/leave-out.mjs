/**
 * Parts of libraries that nothing here reaches, which a bundler cannot know: undici beyond its agents and HTTP/1.1, and
 * the JSON Schema validator of the SDK (zod reads answers of users, src/mcp/server/server.ts).
 */
const replaced = [
  [
    /undici[\\/]index\.js$/,
    `
      const Dispatcher = require('./lib/dispatcher/dispatcher');
      Dispatcher.prototype.connect = require('./lib/api/api-connect');
      exports.Agent = require('./lib/dispatcher/agent');
      exports.EnvHttpProxyAgent = require('./lib/dispatcher/env-http-proxy-agent');
      exports.Pool = require('./lib/dispatcher/pool');
      exports.buildConnector = require('./lib/core/connect');
    `,
  ],
  [/undici[\\/]lib[\\/]dispatcher[\\/]socks5-proxy-agent\.js$/, 'module.exports = undefined;'],
  [
    /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/,
    "module.exports = () => { throw new Error('HTTP/2 was left out of the bundle'); };",
  ],
  [
    /undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/,
    "exports.extractBody = () => { throw new Error('Bodies of fetch were left out of the bundle'); };",
  ],
  [
    // Prints a warning on Node 20, where its tests and ours pass.
    /oidc-provider[\\/]lib[\\/]index\.js$/,
    `
      export { Provider, Provider as default } from './provider.js';
      export * as errors from './helpers/errors.js';
      export * as interactionPolicy from './helpers/interaction_policy/index.js';
    `,
  ],
  [
    // Reports deprecations, and evaluates text to name functions.
    /depd[\\/]index\.js$/,
    'module.exports = () => Object.assign(() => {}, { function: (it) => it, property() {} });',
  ],
  [
    /modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/,
    `
      export { default as process } from 'node:process';
      export class DefaultJsonSchemaValidator {
        getValidator() {
          throw new Error('The JSON Schema validator was left out of the bundle');
        }
      }
    `,
  ],
];

export const leaveOut = {
  name: 'leave-out',
  load: (id) => replaced.find(([file]) => file.test(id))?.[1],
};
