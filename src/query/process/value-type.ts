/** A type of the engine, as far as writing its values needs it. */
export interface ValueType {
  /** The engine's name without parameters: `DECIMAL`, `TIMESTAMP_TZ`, `STRUCT`; arrays are `LIST`. */
  name: string;
  /** As SQL writes it: `DECIMAL(18,2)`. */
  text: string;
  /** Of lists and maps: the type of what they hold. */
  of?: ValueType;
  /** Of maps: the type of the keys. */
  key?: ValueType;
  /** Of structs and unions, in their order. */
  fields?: readonly (readonly [string, ValueType])[];
}
