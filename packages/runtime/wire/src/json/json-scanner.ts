import { clearMetadata, clearPositions, type HeadPositions } from '../frames/format.ts';
import { COMMA, malformedObject, OPEN_OBJECT, skipSpace, UNFINISHED } from './json-bytes.ts';
import { JsonMembers } from './json-members.ts';

const API_VERSION = Buffer.from('apiVersion');
const KIND = Buffer.from('kind');
const METADATA = Buffer.from('metadata');
const MANAGED_FIELDS = Buffer.from('managedFields');
const UID = Buffer.from('uid');
const NAME = Buffer.from('name');
const NAMESPACE = Buffer.from('namespace');
const RESOURCE_VERSION = Buffer.from('resourceVersion');

/**
 * Finds the parts of an object's head by its JSON structure, so strings that resemble them are ignored. Of repeated
 * names the last one counts, as in JSON.parse. Scans to the end of the object and returns it, or `UNFINISHED` if the
 * bytes end first.
 */
export function scanWhole(
  bytes: Uint8Array,
  from: number,
  to: number,
  positions: HeadPositions,
): number {
  return scan(bytes, from, to, positions, false);
}

/**
 * Finds the same parts as `scanWhole`, but stops after `metadata` if apiVersion and kind precede it, as in the order of
 * API servers.
 */
export function scanHead(
  bytes: Uint8Array,
  from: number,
  to: number,
  positions: HeadPositions,
): void {
  const end = scan(bytes, from, to, positions, true);
  if (end === UNFINISHED) throw malformedObject('the object is cut off');
}

function scan(
  bytes: Uint8Array,
  from: number,
  to: number,
  positions: HeadPositions,
  headOnly: boolean,
): number {
  if (bytes[from] !== OPEN_OBJECT) throw malformedObject('not an object');
  clearPositions(positions);
  const members = new JsonMembers(bytes, from + 1, to);
  for (;;) {
    const step = members.next();
    if (step === 'end') return members.at;
    if (step === 'unfinished' || !noteMember(members, positions)) return UNFINISHED;
    if (headOnly && isComplete(positions)) return members.at;
  }
}

/** Records a member of the head and moves past it. Returns false if the bytes end within the member. */
function noteMember(members: JsonMembers, positions: HeadPositions): boolean {
  const from = members.at;
  if (members.isName(METADATA)) return noteMetadata(members, positions);
  const isKind = members.isName(KIND);
  const isApiVersion = !isKind && members.isName(API_VERSION);
  if (!members.skip()) return false;
  if (isKind) {
    positions.kindFrom = from;
    positions.kindTo = members.at;
  } else if (isApiVersion) {
    positions.apiVersionFrom = from;
    positions.apiVersionTo = members.at;
  }
  return true;
}

/** Returns the range of the metadata of an object, the first if there are several. */
export function findMetadata(
  bytes: Uint8Array,
  from: number,
  to: number,
): { readonly from: number; readonly to: number } {
  if (bytes[from] !== OPEN_OBJECT) throw malformedObject('not an object');
  const members = new JsonMembers(bytes, from + 1, to);
  while (members.next() === 'member') {
    const start = members.at;
    const isMetadata = members.isName(METADATA);
    if (!members.skip()) throw malformedObject('the object is cut off');
    if (isMetadata) return { from: start, to: members.at };
  }
  throw malformedObject('no metadata');
}

function noteMetadata(members: JsonMembers, positions: HeadPositions): boolean {
  positions.metadataRepeated = positions.metadataFrom !== -1;
  positions.metadataFrom = members.at;
  clearMetadata(positions);
  const isFinished =
    members.bytes[members.at] === OPEN_OBJECT
      ? noteMetadataObject(members, positions)
      : members.skip();
  positions.metadataTo = members.at;
  return isFinished;
}

function noteMetadataObject(members: JsonMembers, positions: HeadPositions): boolean {
  const inside = new JsonMembers(members.bytes, members.at + 1, members.to);
  for (;;) {
    const step = inside.next();
    if (step === 'unfinished') return false;
    if (step === 'end') break;
    const isManagedFields = inside.isName(MANAGED_FIELDS);
    const from = inside.at;
    if (!inside.skip()) return false;
    if (isManagedFields) noteManagedFields(inside, positions);
    else noteIdentity(inside, from, positions);
  }
  members.at = inside.at;
  return true;
}

/**
 * Records the range of `managedFields` with one comma: the preceding one, or the following one if it is the first
 * member.
 */
function noteManagedFields(member: JsonMembers, positions: HeadPositions): void {
  positions.managedFieldsRepeated = positions.managedFieldsFrom !== -1;
  positions.managedFieldsFrom = member.comma === -1 ? member.keyFrom - 1 : member.comma;
  positions.managedFieldsTo = member.at;
  if (member.comma !== -1) return;
  const next = skipSpace(member.bytes, member.at, member.to);
  if (next < member.to && member.bytes[next] === COMMA) positions.managedFieldsTo = next + 1;
}

function isComplete(positions: HeadPositions): boolean {
  return positions.metadataTo !== -1 && positions.kindTo !== -1 && positions.apiVersionTo !== -1;
}

/**
 * Records a member of the object's identity. Names with escapes, which API servers do not write, are not
 * decoded here: the caller then parses the metadata.
 */
function noteIdentity(member: JsonMembers, from: number, positions: HeadPositions): void {
  if (member.isPlainName(NAME)) {
    positions.nameFrom = from;
    positions.nameTo = member.at;
  } else if (member.isPlainName(NAMESPACE)) {
    positions.namespaceFrom = from;
    positions.namespaceTo = member.at;
  } else if (member.isPlainName(UID)) {
    positions.uidFrom = from;
    positions.uidTo = member.at;
  } else if (member.isPlainName(RESOURCE_VERSION)) {
    positions.resourceVersionFrom = from;
    positions.resourceVersionTo = member.at;
  } else if (member.isEscaped) {
    positions.hasEscapedNames = true;
  }
}
