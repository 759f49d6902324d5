import { parseDuration } from '@keelson/apimachinery';
import type { WireWriter } from './wire-writer.ts';
import { jsonText } from '@keelson/structural-schema';

/** Receives the fields of a message. */
export interface MessageSink {
  readonly writer: WireWriter;
  /** Writes a field that is a message. */
  message(number: number, type: string, value: unknown): void;
}

/** Encodes a message whose JSON is not an object with its fields. */
export type SpecialEncoder = (sink: MessageSink, value: unknown) => void;

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
const schemaProps = `${extensions}.JSONSchemaProps`;

/** Encoders by message, the reverse of `specialMessages`. */
export const specialEncoders: Readonly<Record<string, SpecialEncoder>> = {
  [`${meta}.Time`]: time,
  [`${meta}.MicroTime`]: time,
  [`${meta}.Duration`]: (sink, value) =>
    sink.writer.int(1, parseDuration(String(value), 'duration') * 1e6),
  [`${meta}.FieldsV1`]: raw,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': (sink, value) =>
    sink.writer.text(1, String(value)),
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': intOrString,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': raw,
  [`${extensions}.JSON`]: raw,
  [`${extensions}.JSONSchemaPropsOrArray`]: (sink, value) => {
    if (!Array.isArray(value)) sink.message(1, schemaProps, value);
    else for (const item of value) sink.message(2, schemaProps, item);
  },
  [`${extensions}.JSONSchemaPropsOrBool`]: (sink, value) => {
    sink.writer.bool(1, value !== false);
    if (typeof value !== 'boolean') sink.message(2, schemaProps, value);
  },
  [`${extensions}.JSONSchemaPropsOrStringArray`]: (sink, value) => {
    if (!Array.isArray(value)) sink.message(1, schemaProps, value);
    else for (const name of value) sink.writer.text(2, String(name));
  },
};

/** Writes seconds and nanoseconds. Parses the fraction itself, since `Date` keeps only milliseconds. */
function time(sink: MessageSink, value: unknown): void {
  const [, fraction = ''] = /\.(\d+)/.exec(String(value)) ?? [];
  sink.writer.int(1, Math.floor(Date.parse(String(value)) / 1000));
  sink.writer.int(2, Number(fraction.padEnd(9, '0').slice(0, 9)));
}

function intOrString(sink: MessageSink, value: unknown): void {
  const isText = typeof value === 'string';
  sink.writer.int(1, isText ? 1 : 0);
  if (isText) sink.writer.text(3, value);
  else sink.writer.int(2, Number(value));
}

function raw(sink: MessageSink, value: unknown): void {
  sink.writer.text(1, jsonText(value));
}
