/**
 * The wire formats of the Kubernetes API. The client splits the chunks of a response into frames, each of which has one
 * object as a range of bytes, and its type. The informer reads the identity, the version and the metadata of an object
 * from these bytes, and parses the body only when user code reads it.
 *
 * - A response is split into the same frames, however its bytes are divided into chunks.
 * - Bytes that are not a complete response are refused, with an error that shows none of them.
 * - The identity and the metadata of an object are read without parsing its body, in any layout of JSON.
 * - The protobuf of a built-in kind is decoded to the JSON of kube-apiserver, with members in the same order.
 * - No format or splitter keeps a chunk after the call that was given it.
 *
 * @packageDocumentation
 */

// Frames
export type {
  BatchConsumer,
  Format,
  Frame,
  FrameBatch,
  HeadPositions,
  ListSplitter,
  ObjectHead,
  ObjectIdentity,
  Splitter,
  WatchBatches,
  WatchEventType,
} from './frames/format.ts';
export { CycleDetector } from './cycle-detector.ts';

// Formats
export { jsonFormat } from './json/json-format.ts';
export { loadProtobufFormats } from './protobuf/load-protobuf-formats.ts';
export { ProtobufFormats } from './protobuf/protobuf-formats.ts';

// Errors
export { wireErrors, type WireErrorCode } from './errors.ts';
