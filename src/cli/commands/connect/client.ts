import type { JsonObject } from '../../../core/json.ts';
import type { FormatName } from './formats/format.ts';
import type { Machine } from './machine.ts';

/** A program that starts MCP servers, and the way it is told of one. */
export interface ClientDefinition {
  title: string;
  /** Where its configuration lies on a machine. */
  file(machine: Machine): string;
  /** Files or folders of which one is there when the client is. */
  traces(machine: Machine): string[];
  format: FormatName;
  /** The key of the configuration under which servers stand by name. */
  servers: string;
  /** An entry in the client's own words. */
  entry(server: Server): JsonObject;
  /** How an entry names the secret without holding it; none where the client knows no such thing. */
  reference?: SecretReference;
  /** What a person does before the client knows the entry. */
  next: string;
}

/** How to start the server. */
export interface Server {
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** A secret that an entry names instead of holding it. */
export interface SecretReference {
  /** The value of the variable in the entry, such as `${env:COMMERCE_CLIENT_SECRET}`. */
  env?(name: string): string;
  /** Fields of the entry that hand the variable on. */
  fields?: JsonObject;
  /** What the client asks a person for, and keeps. */
  input?(name: string): { id: string } & JsonObject;
  /** Where the client finds the value, for people. */
  about: string;
}

/** The variable that carries the client secret. */
export const secretVariable = 'COMMERCE_CLIENT_SECRET';
