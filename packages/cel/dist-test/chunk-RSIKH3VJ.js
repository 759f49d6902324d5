// packages/cel/src/types/cel-type.ts
function simple(kind, name) {
  return { kind, name, parameters: [] };
}
var boolType = simple('primitive', 'bool');
var intType = simple('primitive', 'int');
var uintType = simple('primitive', 'uint');
var doubleType = simple('primitive', 'double');
var stringType = simple('primitive', 'string');
var bytesType = simple('primitive', 'bytes');
var nullType = simple('null', 'null');
var dynType = simple('dyn', 'dyn');
var errorType = simple('error', '!error!');
var timestampType = simple('time', 'google.protobuf.Timestamp');
var durationType = simple('time', 'google.protobuf.Duration');
function listType(item) {
  return { kind: 'list', name: 'list', parameters: [item] };
}
function mapType(key, value) {
  return { kind: 'map', name: 'map', parameters: [key, value] };
}
function optionalType(value) {
  return { kind: 'opaque', name: 'optional_type', parameters: [value] };
}
function typeOfType(instance) {
  return { kind: 'type', name: 'type', parameters: [instance] };
}
function typeParameter(name) {
  return simple('parameter', name);
}
function objectType(name, fields) {
  return fields === void 0 ? simple('object', name) : { ...simple('object', name), fields };
}
function opaqueType(name) {
  return simple('opaque', name);
}
function isOptional({ kind, name }) {
  return kind === 'opaque' && name === 'optional_type';
}
function unwrapped(type) {
  return isOptional(type) ? parameterOf(type) : type;
}
function parameterOf(type, index = 0) {
  return type.parameters[index] ?? dynType;
}
function sameType(one2, other) {
  return (
    one2 === other ||
    (one2.kind === other.kind &&
      one2.name === other.name &&
      one2.parameters.length === other.parameters.length &&
      one2.parameters.every((each, index) => sameType(each, parameterOf(other, index))))
  );
}
function showType(type) {
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(showType).join(', ')})`;
}

// packages/cel/src/values/evaluation-error.ts
var EvaluationError = class extends Error {
  name = 'EvaluationError';
};
var CostLimitError = class extends Error {
  name = 'CostLimitError';
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
};
function fail(message) {
  throw new EvaluationError(message);
}
function succeeds(compute) {
  try {
    return compute() !== void 0;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
}

// packages/cel/src/values/value.ts
var ObjectValue = class {
  toString() {
    return this.type.name;
  }
};
var LibraryValue = class extends ObjectValue {};

// packages/cel/src/values/duration.ts
var second = 1000000000n;
var units = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1000000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
};
var words = [
  [/^(ns|nanos?|nanoseconds?)$/, 1n],
  [/^(us|µs|micros?|microseconds?)$/, 1000n],
  [/^(ms|millis?|milliseconds?)$/, 1000000n],
  [/^(s|secs?|seconds?)$/, second],
  [/^(m|mins?|minutes?)$/, 60n * second],
  [/^(h|hrs?|hours?)$/, 3600n * second],
  [/^(d|days?)$/, 86400n * second],
  [/^(w|wks?|weeks?)$/, 604800n * second],
];
var Duration = class _Duration extends ObjectValue {
  nanos;
  constructor(nanos) {
    super();
    if (BigInt.asIntN(64, nanos) !== nanos) fail('duration overflow');
    this.nanos = nanos;
  }
  /** Parses Go's notation: `1h30m`. Returns `undefined` for other strings. */
  static parse(text) {
    const [, sign, rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
    if (rest === '0') return new _Duration(0n);
    const whole = /^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
    if (!whole.test(rest)) return void 0;
    let nanos = 0n;
    for (const [, amount = '', unit2 = ''] of rest.matchAll(/([\d.]+)([a-zµμ]+)/g)) {
      nanos += scaled(amount, units[unit2] ?? 0n);
    }
    return new _Duration(sign === '-' ? -nanos : nanos);
  }
  /** Parses a value of the schema format `duration`, which also accepts `3 days`. */
  static parseFormat(text) {
    const plain2 = _Duration.parse(text);
    const found2 = [...text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)];
    if (plain2 !== void 0 || found2.length === 0) return plain2;
    let nanos = 0n;
    for (const [, amount = '', word = ''] of found2) {
      const unit2 = words.find(([pattern3]) => pattern3.test(word.toLowerCase()));
      if (unit2 === void 0) return void 0;
      nanos += BigInt(amount) * unit2[1];
    }
    return new _Duration(nanos);
  }
  /** In seconds, as CEL writes durations. */
  get type() {
    return durationType;
  }
  toString() {
    const magnitude = this.nanos < 0n ? -this.nanos : this.nanos;
    const fraction = String(magnitude % second)
      .padStart(9, '0')
      .replace(/0+$/, '');
    const sign = this.nanos < 0n ? '-' : '';
    return `${sign}${magnitude / second}${fraction && `.${fraction}`}s`;
  }
};
function scaled(amount, unit2) {
  const [whole = '', fraction = ''] = amount.split('.');
  const part = fraction === '' ? 0n : (BigInt(fraction) * unit2) / 10n ** BigInt(fraction.length);
  return BigInt(whole || '0') * unit2 + part;
}

// packages/cel/src/values/list-value.ts
var anyList = listType(dynType);
var SchemaList = class _SchemaList extends ObjectValue {
  items;
  identity;
  constructor(items, identity2) {
    super();
    this.items = items;
    this.identity = identity2;
  }
  get type() {
    return anyList;
  }
  /** Returns the items by their keys. */
  byKey() {
    return new Map(this.items.map((item) => [this.identity.keyOf(item), item]));
  }
  /** Merges other items: an item replaces the one with the same key; new items follow at the end. */
  merge(others) {
    const merged = this.byKey();
    for (const other of others) merged.set(this.identity.keyOf(other), other);
    return new _SchemaList([...merged.values()], this.identity);
  }
};
function isList(value) {
  return Array.isArray(value) || value instanceof SchemaList;
}
function itemsOf(list) {
  return list instanceof SchemaList ? list.items : list;
}

// packages/cel/src/values/show-value.ts
function showValue(value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return isList(value) ? 'list' : String(value);
}
function quoteText(text) {
  return JSON.stringify(text)
    .replaceAll(/\\u00([01][\da-f])/g, (_, code) => named[code] ?? `\\x${code}`)
    .replaceAll('\x7F', '\\x7f');
}
var named = { '07': '\\a', '0b': '\\v' };

// packages/cel/src/values/unsigned-int.ts
var UnsignedInt = class extends ObjectValue {
  value;
  constructor(value) {
    super();
    if (value < 0n || value >= 1n << 64n) fail('unsigned integer overflow');
    this.value = value;
  }
  get type() {
    return uintType;
  }
  toString() {
    return String(this.value);
  }
};

// packages/cel/src/values/map-value.ts
var anyMap = mapType(dynType, dynType);
var MapValue = class extends ObjectValue {
  get type() {
    return anyMap;
  }
  /** Compares with a map of the same size, for subclasses with their own equality; otherwise returns `undefined`. */
  equals(_other, _equalValues) {
    return void 0;
  }
};
var MadeMap = class _MadeMap extends MapValue {
  #entries = /* @__PURE__ */ new Map();
  get size() {
    return this.#entries.size;
  }
  keys() {
    return Array.from(this.#entries.values(), ([key]) => key);
  }
  get(key) {
    return this.#entries.get(keyText(key))?.[1];
  }
  /** Adds an entry; fails if the key exists. */
  insert(key, value) {
    const text = keyText(key);
    if (this.#entries.has(text)) fail(`insert failed: key ${showValue(key)} already exists`);
    this.#entries.set(text, [key, value]);
    return this;
  }
  /** Sets an entry as a literal does: the last of equal keys wins. */
  set(key, value) {
    this.#entries.set(keyText(key), [key, value]);
    return this;
  }
  /** Returns a new map with the same entries. */
  copy() {
    const copy = new _MadeMap();
    for (const [key, value] of this.#entries.values()) copy.set(key, value);
    return copy;
  }
};
function keyText(key) {
  if (typeof key === 'string') return `"${key}`;
  if (key instanceof UnsignedInt) return String(key.value);
  return showValue(key);
}

// packages/cel/src/values/timestamp.ts
var second2 = 1000000000n;
var earliest = -62135596800n;
var latest = 253402300799n;
var Timestamp = class _Timestamp extends ObjectValue {
  nanos;
  /** The offset from UTC in seconds, which is used to write the time. */
  offset;
  constructor(nanos, offset = 0n) {
    super();
    this.offset = offset;
    const seconds = nanos / second2;
    if (seconds < earliest || seconds > latest) fail('timestamp overflow');
    this.nanos = nanos;
  }
  static ofSeconds(seconds) {
    return new _Timestamp(seconds * second2);
  }
  /** Parses RFC 3339; returns `undefined` for other strings. */
  static parse(text) {
    return parse(text);
  }
  /** Parses a value of the schema formats `date` and `date-time`. */
  static parseFormat(text) {
    return _Timestamp.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  }
  get seconds() {
    return floorDivide(this.nanos, second2);
  }
  get milliseconds() {
    return floorDivide(this.nanos, 1000000n);
  }
  get type() {
    return timestampType;
  }
  toString() {
    const fraction = String(this.nanos - this.seconds * second2)
      .padStart(9, '0')
      .replace(/0+$/, '');
    const text = new Date(Number(this.seconds + this.offset) * 1e3).toISOString();
    return text.replace('.000Z', (fraction && `.${fraction}`) + zoneOf(this.offset));
  }
};
var pattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;
function parse(text) {
  const found2 = pattern.exec(text);
  if (found2 === null) return void 0;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, seconds = 0] = found2
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(2e3, month - 1, day, hour, minute, seconds));
  date.setUTCFullYear(year, month - 1, day);
  const real2 = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!real2 || hour > 23 || minute > 59 || seconds > 59) return void 0;
  const fraction = BigInt((found2[7] ?? '').slice(0, 9).padEnd(9, '0'));
  const offset = offsetSeconds(found2[8] ?? 'Z');
  const moment = BigInt(date.getTime() / 1e3) - offset;
  return new Timestamp(moment * second2 + fraction, offset);
}
function zoneOf(offset) {
  if (offset === 0n) return 'Z';
  const minutes = (offset < 0n ? -offset : offset) / 60n;
  const parts2 = [minutes / 60n, minutes % 60n].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0n ? '-' : '+'}${parts2.join(':')}`;
}
function offsetSeconds(offset) {
  const [, sign, hours = '0', minutes = '0'] = /^([+-]?)(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  const seconds = BigInt(hours) * 3600n + BigInt(minutes) * 60n;
  return sign === '-' ? -seconds : seconds;
}
function floorDivide(value, by) {
  const quotient2 = value / by;
  return value < 0n && value % by !== 0n ? quotient2 - 1n : quotient2;
}

// packages/cel/src/types/function-declaration.ts
var ipType = opaqueType('net.IP');
var cidrType = opaqueType('net.CIDR');
var quantityType = objectType('kubernetes.Quantity');
var semverType = objectType('kubernetes.Semver');
var urlType = objectType('kubernetes.URL');
var formatType = objectType('kubernetes.NamedFormat');
var named2 = {
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
  null: nullType,
  dyn: dynType,
  timestamp: timestampType,
  duration: durationType,
  IP: ipType,
  CIDR: cidrType,
  Quantity: quantityType,
  Semver: semverType,
  URL: urlType,
  Format: formatType,
};
var generic = {
  list: (item = dynType) => listType(item),
  map: (key = dynType, value = dynType) => mapType(key, value),
  optional: (value = dynType) => optionalType(value),
  type: (instance = dynType) => typeOfType(instance),
};
function overload(signature, implementation) {
  const [, head = '', args = '', result = ''] = /^([^(]+)\((.*)\): (.+)$/.exec(signature) ?? [];
  const [, target, method = ''] = /^([\w<>, ]+)\.(@?\w+)$/.exec(head) ?? [];
  const member2 = target !== void 0 && isType(target);
  const parameters = splitTypes(args).map(typeNamed);
  return {
    signature,
    name: member2 ? method : head,
    member: member2,
    parameters: member2 ? [typeNamed(target), ...parameters] : parameters,
    result: typeNamed(result),
    implementation,
  };
}
function isType(written) {
  return written.includes('<') || written in named2;
}
function typeNamed(written) {
  const [, name = '', inner] = /^([\w]+)(?:<(.*)>)?$/.exec(written) ?? [];
  const make = generic[name];
  if (make !== void 0) return make(...splitTypes(inner ?? '').map(typeNamed));
  return named2[name] ?? typeParameter(name);
}
function splitTypes(written) {
  const parts2 = [];
  let depth = 0;
  let part = '';
  for (const character of written) {
    if (character === '<') depth += 1;
    if (character === '>') depth -= 1;
    if (character === ',' && depth === 0) {
      parts2.push(part.trim());
      part = '';
    } else part += character;
  }
  return part.trim() === '' ? parts2 : [...parts2, part.trim()];
}
var FunctionTable = class {
  #byName = /* @__PURE__ */ new Map();
  constructor(overloads) {
    for (const each of overloads) {
      const of = this.#byName.get(each.name) ?? [];
      of.push(each);
      this.#byName.set(each.name, of);
    }
  }
  /** Returns the overloads of a function; `undefined` for an unknown name. */
  overloadsOf(name) {
    return this.#byName.get(name);
  }
  get signatures() {
    return [...this.#byName.values()].flat().map(({ signature }) => signature);
  }
};

// packages/cel/src/functions/pattern-functions.ts
function patternFunctions(compiler) {
  const patterns2 = /* @__PURE__ */ new Map();
  const compiled = (source, words2) => {
    const known = patterns2.get(source);
    if (known !== void 0) return known;
    const pattern3 = compile(compiler, source, words2);
    if (patterns2.size < 1e3) patterns2.set(source, pattern3);
    return pattern3;
  };
  const matches = (text, source) => compiled(source, '').test(text);
  const all2 = (text, source, most) =>
    found(compiled(source, 'Illegal regex: '), text, most < 0n ? Infinity : Number(most));
  return [
    overload('matches(string, string): bool', matches),
    overload('string.matches(string): bool', matches),
    overload('string.find(string): string', (text, source) => all2(text, source, 1n)[0] ?? ''),
    overload('string.findAll(string): list<string>', (text, source) => all2(text, source, -1n)),
    overload('string.findAll(string, int): list<string>', all2),
  ];
}
function patternProblem(compiler, source) {
  try {
    compiler.compile(source);
    return void 0;
  } catch (error) {
    return error.message.replace(/at end of expression$/, '$&: ``');
  }
}
function compile(compiler, source, words2) {
  try {
    return compiler.compile(source);
  } catch (error) {
    return fail(words2 + error.message);
  }
}
function found(pattern3, text, most) {
  const matcher = pattern3.matcher(text);
  const parts2 = [];
  let end = -1;
  while (parts2.length < most && matcher.find()) {
    const part = matcher.group() ?? '';
    if (part !== '' || matcher.start() !== end) parts2.push(part);
    end = matcher.end();
  }
  return parts2;
}

// packages/cel/src/values/optional.ts
var anyOptional = optionalType(dynType);
var Optional = class _Optional extends ObjectValue {
  static none = new _Optional(void 0);
  #value;
  constructor(value) {
    super();
    this.#value = value;
  }
  static of(value) {
    return value === void 0 ? _Optional.none : new _Optional(value);
  }
  get type() {
    return anyOptional;
  }
  get hasValue() {
    return this.#value !== void 0;
  }
  get value() {
    return this.#value === void 0 ? fail('optional.none() dereference') : this.#value;
  }
};

// packages/cel/src/schema-formats/name-syntax.ts
var subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
var labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
var namePartMessage =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
var labelValueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
var dns1035Message =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
var wildcardMessage =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
var configKeyMessage =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
var checkSubdomain = (text) => [
  ...atMost(253, text),
  ...unless(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    text,
    subdomainMessage,
  ),
];
var checkWildcardSubdomain = (text) => [
  ...atMost(253, text),
  ...unless(
    /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    text,
    wildcardMessage,
  ),
];
var checkPortName = (text) => [
  ...atMost(15, text),
  ...unless(
    /^[-a-z0-9]+$/,
    text,
    'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
  ),
  ...unless(/[a-z]/, text, 'must contain at least one letter (a-z)'),
  ...unless(/^(?!.*--)/s, text, 'must not contain consecutive hyphens'),
  ...unless(/^(?!-).*(?<!-)$/s, text, 'must not begin or end with a hyphen'),
];
var checkDnsLabel = (text) => [
  ...atMost(63, text),
  ...unless(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, text, labelMessage),
];
var checkDns1035Label = (text) => [
  ...atMost(63, text),
  ...unless(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, text, dns1035Message),
];
var checkNameWithoutDots = (text) =>
  text.includes('.') ? ['must not contain dots'] : checkDnsLabel(text);
var checkStatefulSetName = (text) => {
  const found2 = checkSubdomain(text);
  return found2.length > 0 ? found2 : atMost(63, text);
};
var checkCronJobName = (text) => {
  const found2 = checkSubdomain(text);
  return found2.length > 0 ? found2 : atMost(52, text);
};
var checkPathSegment = (text) => {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%']
    .filter((part) => text.includes(part))
    .map((part) => `may not contain '${part}'`);
};
var checkQualifiedName = (text) => {
  const parts2 = text.split('/');
  if (parts2.length > 2) {
    return [
      "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  const name = parts2.at(-1) ?? '';
  return [...checkPrefix(parts2), ...checkNamePart(name)];
};
var checkLabelValue = (text) => [
  ...atMost(63, text, 'bytes'),
  ...unless(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/, text, labelValueMessage),
];
var checkConfigKey = (text) => [
  ...atMost(253, text),
  ...unless(/^[-._a-zA-Z0-9]+$/, text, configKeyMessage),
];
function checkPrefix(parts2) {
  const [prefix] = parts2;
  if (parts2.length === 1 || prefix === void 0) return [];
  if (prefix === '') return ['prefix part must be non-empty'];
  return checkSubdomain(prefix).map((message) => `prefix part ${message}`);
}
function checkNamePart(name) {
  if (name === '') return ['name part must be non-empty', namePartMessage];
  return [
    ...atMost(63, name, 'bytes').map((message) => `name part ${message}`),
    ...unless(/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/, name, namePartMessage),
  ];
}
function atMost(length, text, unit2 = 'characters') {
  return Buffer.byteLength(text) > length ? [`must be no more than ${length} ${unit2}`] : [];
}
function unless(pattern3, text, message) {
  return pattern3.test(text) ? [] : [message];
}

// packages/cel/src/values/addresses/url.ts
var WebAddress = class extends LibraryValue {
  scheme;
  host;
  path;
  query;
  #written;
  /** Throws with Go's message for a URL that is neither absolute nor starts with a slash. */
  constructor(text) {
    super();
    const refuse2 = (problem) =>
      fail(`URL parse error during conversion from string: parse ${quoteText(text)}: ${problem}`);
    this.#written = text;
    if (text === '') refuse2('empty url');
    const request = takeApart(text, refuse2);
    if (request.scheme === '' && !request.rest.startsWith('/') && text !== '*') {
      refuse2('invalid URI for request');
    }
    if (request.scheme !== '') hostOf(authorityOf(request.rest) ?? '', refuse2);
    const { scheme, rest, query } = takeApart(text.replace(/#.*$/s, ''), refuse2);
    this.scheme = scheme;
    this.query = query;
    const authority = rest.startsWith('///') && scheme === '' ? void 0 : authorityOf(rest);
    const path = authority === void 0 ? rest : rest.slice(authority.length + 2);
    this.host = authority === void 0 ? '' : hostOf(authority, refuse2);
    this.path = rest.startsWith('/') || rest === '*' ? escaped(path, refuse2) : '';
  }
  get type() {
    return urlType;
  }
  get hostname() {
    const [, inner] = /^\[(.*)\]/.exec(this.host) ?? [];
    return inner ?? this.host.replace(/:\d*$/, '');
  }
  get port() {
    return /:(\d*)$/.exec(this.host)?.[1] ?? '';
  }
  /** The values of the query by their names. */
  get parameters() {
    const parameters = /* @__PURE__ */ new Map();
    for (const pair of this.query.split('&')) {
      if (pair === '' || pair.includes(';')) continue;
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
      if (wrongEscape(name) !== void 0 || wrongEscape(value) !== void 0) continue;
      const key = unescapeQuery(name);
      parameters.set(key, [...(parameters.get(key) ?? []), unescapeQuery(value)]);
    }
    return parameters;
  }
  toString() {
    return this.#written;
  }
};
function takeApart(text, refuse2) {
  if (hasControl(text)) refuse2('net/url: invalid control character in URL');
  if (text.startsWith(':')) refuse2('missing protocol scheme');
  const [, scheme = '', after = text] = /^([A-Za-z][A-Za-z\d+.-]*):(.*)$/s.exec(text) ?? [];
  const [, rest = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(after) ?? [];
  return { scheme: scheme.toLowerCase(), rest, query };
}
function authorityOf(rest) {
  return /^\/\/([^/]*)/.exec(rest)?.[1];
}
function hostOf(authority, refuse2) {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const user = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  if (!/^[\w\-.~!$&'()*+,;=:%@]*$/.test(user)) refuse2('net/url: invalid userinfo');
  const port = host.startsWith('[') ? bracketed(host, refuse2) : (/:.*$/s.exec(host)?.[0] ?? '');
  const last = host.startsWith('[') ? port : port.slice(Math.max(0, port.lastIndexOf(':')));
  if (!/^(:\d*)?$/.test(last)) refuse2(`invalid port ${quoteText(last)} after host`);
  const wrong = /[^\w\-.~!$&'()*+,;=:[\]<>"%\u0080-\uFFFF]/.exec(host)?.[0];
  if (wrong !== void 0) refuse2(`invalid character ${quoteText(wrong)} in host name`);
  const escape = /%(?![89A-Fa-f][\dA-Fa-f]|25).{0,2}/s.exec(host)?.[0];
  if (escape !== void 0) refuse2(`invalid URL escape ${quoteText(escape)}`);
  return host;
}
function bracketed(host, refuse2) {
  const end = host.lastIndexOf(']');
  return end < 0 ? refuse2("missing ']' in host") : host.slice(end + 1);
}
function escaped(path, refuse2) {
  const wrong = wrongEscape(path);
  if (wrong !== void 0) refuse2(`invalid URL escape ${quoteText(wrong)}`);
  return path.replaceAll(/[^\w\-.~!$&'()*+,;=:@/[\]%]+/g, (part) => encodeURIComponent(part));
}
function wrongEscape(text) {
  return /%(?![\dA-Fa-f]{2}).{0,2}/s.exec(text)?.[0];
}
function unescapeQuery(text) {
  const bytes = text
    .replaceAll('+', ' ')
    .replaceAll(/(?:%[\dA-Fa-f]{2})+/g, (codes) =>
      Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
    );
  return bytes;
}
function hasControl(text) {
  return Array.from(text).some((character) => character < ' ' || character === '\x7F');
}

// packages/cel/src/values/addresses/parse-address.ts
var AddressProblem = class extends Error {
  name = 'AddressProblem';
  constructor(words2, at) {
    super(at === void 0 ? words2 : `${words2} (at ${quoteText(at)})`);
  }
};
function parseAddress(text) {
  try {
    return addressOf(text);
  } catch (error) {
    if (!(error instanceof AddressProblem)) throw error;
    return `ParseAddr(${quoteText(text)}): ${error.message}`;
  }
}
function addressOf(text) {
  switch (/[.:%]/.exec(text)?.[0]) {
    case '.':
      return { family: 4, bits: parseFour(text) };
    case ':':
      return { family: 6, bits: new Ipv6Parser(text).parse() };
    case '%':
      throw new AddressProblem('missing IPv6 address');
    default:
      throw new AddressProblem('unable to parse IP');
  }
}
function parseFour(text) {
  const fields = [];
  let digits = '';
  for (const [index, character] of Array.from(text).entries()) {
    if (/\d/.test(character)) {
      if (digits === '0') throw new AddressProblem('IPv4 field has octet with leading zero');
      digits += character;
      if (Number(digits) > 255) throw new AddressProblem('IPv4 field has value >255');
    } else if (character !== '.') {
      throw new AddressProblem('unexpected character', text.slice(index));
    } else {
      if (digits === '' || index === text.length - 1) {
        throw new AddressProblem('IPv4 field must have at least one digit', text.slice(index));
      }
      if (fields.length === 3) throw new AddressProblem('IPv4 address too long');
      fields.push(Number(digits));
      digits = '';
    }
  }
  if (fields.length < 3) throw new AddressProblem('IPv4 address too short');
  return [...fields, Number(digits)].reduce((bits, field) => (bits << 8n) | BigInt(field), 0n);
}
var Ipv6Parser = class {
  #rest;
  #groups = [];
  /** The number of groups before `::`. */
  #ellipsis;
  constructor(text) {
    const [address2 = '', zone] = text.split('%');
    if (zone === '') throw new AddressProblem('zone must be a non-empty string');
    this.#rest = address2;
  }
  parse() {
    if (this.#rest.startsWith('::')) {
      this.#ellipsis = 0;
      this.#rest = this.#rest.slice(2);
    }
    while (this.#groups.length < 8 && this.#more()) this.#group();
    if (this.#rest !== '') throw new AddressProblem('trailing garbage after address', this.#rest);
    return this.#expanded().reduce((bits, group) => (bits << 16n) | group, 0n);
  }
  #more() {
    return this.#rest !== '' || (this.#groups.length === 0 && this.#ellipsis === void 0);
  }
  #group() {
    const [digits = ''] = /^[\da-fA-F]*/.exec(this.#rest) ?? [];
    if (digits.length > 4) {
      throw new AddressProblem('each group must have 4 or less digits', this.#rest);
    }
    if (digits === '') {
      const words2 = 'each colon-separated field must have at least one digit';
      throw new AddressProblem(words2, this.#rest);
    }
    if (this.#rest[digits.length] === '.') {
      this.#four();
      return;
    }
    this.#groups.push(BigInt(`0x${digits}`));
    this.#rest = this.#rest.slice(digits.length);
    if (this.#rest !== '') this.#colon();
  }
  #colon() {
    const rest = this.#rest;
    if (!rest.startsWith(':')) throw new AddressProblem('unexpected character, want colon', rest);
    if (rest.length === 1) {
      throw new AddressProblem('colon must be followed by more characters', rest);
    }
    this.#rest = rest.slice(1);
    if (!this.#rest.startsWith(':')) return;
    if (this.#ellipsis !== void 0) {
      throw new AddressProblem('multiple :: in address', this.#rest);
    }
    this.#ellipsis = this.#groups.length;
    this.#rest = this.#rest.slice(1);
  }
  /** Parses the last 32 bits in IPv4 notation. */
  #four() {
    if (this.#ellipsis === void 0 && this.#groups.length !== 6) {
      const words2 = 'embedded IPv4 address must replace the final 2 fields of the address';
      throw new AddressProblem(words2, this.#rest);
    }
    if (this.#groups.length > 6) {
      const words2 = 'too many hex fields to fit an embedded IPv4 at the end of the address';
      throw new AddressProblem(words2, this.#rest);
    }
    const bits = parseFour(this.#rest);
    this.#groups.push(bits >> 16n, bits & 0xffffn);
    this.#rest = '';
  }
  #expanded() {
    const missing = 8 - this.#groups.length;
    if (this.#ellipsis === void 0) {
      if (missing > 0) throw new AddressProblem('address string too short');
      return this.#groups;
    }
    if (missing === 0) {
      throw new AddressProblem('the :: must expand to at least one field of zeros');
    }
    const zeros = Array.from({ length: missing }, () => 0n);
    return this.#groups.toSpliced(this.#ellipsis, 0, ...zeros);
  }
};

// packages/cel/src/schema-formats/address-format.ts
function familyOf(text) {
  if (text.includes('%')) return void 0;
  const plain2 = text.includes(':') ? text : text.replaceAll(/(^|\.)0+(?=\d)/g, '$1');
  const address2 = parseAddress(plain2);
  return typeof address2 === 'string' ? void 0 : address2.family;
}
function isIpv4(text) {
  return text.includes('.') && familyOf(text) !== void 0;
}
function isIpv6(text) {
  return familyOf(text) === 6;
}
function isCidr(text) {
  const [, address2 = '', length = ''] = /^([^/]*)\/(\d+)$/.exec(text) ?? [];
  const family = familyOf(address2);
  return family !== void 0 && Number(length) <= (family === 4 ? 32 : 128);
}
function isMac(text) {
  const octets =
    /^([\dA-Fa-f]{2}([:-])[\dA-Fa-f]{2}(\2[\dA-Fa-f]{2})*|[\dA-Fa-f]{4}(\.[\dA-Fa-f]{4})+)$/;
  return octets.test(text) && [12, 16, 40].includes(text.replaceAll(/[.:-]/g, '').length);
}

// packages/cel/src/schema-formats/email-format.ts
var atomLetter = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10FFFF}-]";
var dotAtom = `${atomLetter}+(?:\\.${atomLetter}+)*`;
var quoted = '"(?:[^"\\\\]|\\\\.)*"';
var comments = '(?:[ \\t]|\\((?:[^()\\\\]|\\\\.)*\\))*';
var address = `(?:${dotAtom}|${quoted})@(?:${dotAtom}|\\[(?<literal>[^\\[\\]\\\\]*)\\])`;
var displayName = `(?:${atomLetter}|[. \\t]|${quoted})*`;
var plain = new RegExp(`^${comments}${address}${comments}$`, 'u');
var named3 = new RegExp(`^${displayName}<${address}>${comments}$`, 'u');
function isEmail(text) {
  const match = plain.exec(text) ?? named3.exec(text);
  const literal = match?.groups?.['literal'];
  return match !== null && (literal === void 0 || typeof parseAddress(literal) !== 'string');
}

// packages/cel/src/schema-formats/number-format.ts
function bareIsbn(text) {
  return text.replaceAll(/[\s-]/g, '');
}
function isIsbn10(text) {
  const bare = bareIsbn(text);
  if (!/^\d{9}[\dX]$/.test(bare)) return false;
  const digits = Array.from(bare, (digit) => (digit === 'X' ? 10 : Number(digit)));
  return digits.reduce((sum, digit, index) => sum + digit * (index + 1), 0) % 11 === 0;
}
function isIsbn13(text) {
  const bare = bareIsbn(text);
  if (!/^\d{13}$/.test(bare)) return false;
  return (
    Array.from(bare, Number).reduce((sum, digit, index) => sum + digit * (index % 2 ? 3 : 1), 0) %
      10 ===
    0
  );
}
var issuers =
  /^(4\d{12}(\d{3})?|5[1-5]\d{14}|6(011|5\d\d)\d{12}|3[47]\d{13}|3(0[0-5]|[68]\d)\d{11}|(2131|1800|35\d{3})\d{11})$/;
function isCreditCard(text) {
  const bare = text.replaceAll(/\D/g, '');
  if (!issuers.test(bare)) return false;
  const sum = Array.from(bare, Number)
    .toReversed()
    .map((digit, index) => (index % 2 === 0 ? digit : digit * 2))
    .reduce((total, digit) => total + (digit > 9 ? digit - 9 : digit), 0);
  return sum % 10 === 0;
}

// packages/cel/src/schema-formats/string-format.ts
var dateTime =
  /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?([Zz]|[+-]\d\d:\d\d)$/;
var byteOfColor = String.raw`\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`;
var hostLetter = String.raw`[a-zA-Z0-9\p{S}\p{L}]`;
var hostLabel = String.raw`${hostLetter}([a-zA-Z0-9\-\p{S}\p{L}]{0,61}${hostLetter})?`;
var hostname = new RegExp(
  String.raw`^(${hostLetter}(-?${hostLetter}{0,62})?|(${hostLabel}\.)+[a-zA-Z\p{L}]{2,63})$`,
  'u',
);
var formats = /* @__PURE__ */ new Map([
  ['bsonobjectid', like(/^[0-9A-Fa-f]{24}$/)],
  ['byte', like(/^(?=.)([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)],
  ['cidr', isCidr],
  ['creditcard', isCreditCard],
  ['date', isDay],
  ['datetime', (text) => dateTime.test(text) && isDay(text.slice(0, 10))],
  ['duration', (text) => succeeds(() => Duration.parseFormat(text))],
  ['email', isEmail],
  ['hexcolor', like(/^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$/)],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['k8slongname', (text) => checkSubdomain(text).length === 0],
  ['k8sshortname', (text) => checkNameWithoutDots(text).length === 0],
  ['mac', isMac],
  ['password', () => true],
  ['rgbcolor', like(new RegExp(`^rgb\\(${byteOfColor},${byteOfColor},${byteOfColor}\\)$`))],
  ['ssn', like(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ['uri', isUri],
  ['uuid', uuid('[0-9a-f]{4}', '[0-9a-f]{4}')],
  ['uuid3', uuid('3[0-9a-f]{3}', '[0-9a-f]{4}')],
  ['uuid4', uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}')],
  ['uuid5', uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}')],
]);
function hasFormat(text, format2) {
  return formats.get(normalName(format2))?.(text) ?? true;
}
function isKnownFormat(format2) {
  return formats.has(normalName(format2));
}
function normalName(format2) {
  return format2.replaceAll('-', '');
}
function like(pattern3) {
  return (text) => pattern3.test(text);
}
function uuid(version, variant) {
  const hex = '[0-9a-f]';
  return like(new RegExp(`^${hex}{8}-?${hex}{4}-?${version}-?${variant}-?${hex}{12}$`, 'i'));
}
function isDay(text) {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
function isHostname(text) {
  return (
    Buffer.byteLength(text) <= 255 &&
    text.split('.').every((label2) => Buffer.byteLength(label2) <= 63) &&
    hostname.test(text)
  );
}
function isUri(text) {
  const request = text.replaceAll('#', 'x');
  return [text, request].every((each) => succeeds(() => new WebAddress(each)));
}

// packages/cel/src/schema-formats/quantity.ts
var quantitySyntaxMessage =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
var binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
var decimal = /* @__PURE__ */ new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
var decimalSuffix = new Map([...decimal].map(([suffix, exponent]) => [exponent, suffix]));
var MAX_EXPONENT = 1e4;
var zero = { nanos: 0n, family: 'decimal' };
function canonicalQuantity(text) {
  const quantity = parseQuantity(text);
  return quantity === void 0 ? void 0 : format(quantity);
}
function compareQuantities(left, right) {
  const difference = (parseQuantity(left)?.nanos ?? 0n) - (parseQuantity(right)?.nanos ?? 0n);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}
function addQuantities(left, right) {
  return combine(left, right, (one2, other) => one2 + other);
}
function subtractQuantities(left, right) {
  return combine(left, right, (one2, other) => one2 - other);
}
function combine(left, right, operation) {
  const one2 = parseQuantity(left) ?? zero;
  const other = parseQuantity(right) ?? zero;
  const { family } = one2.nanos === 0n ? other : one2;
  return format({ nanos: operation(one2.nanos, other.nanos), family });
}
function nanosOfQuantity(text) {
  return parseQuantity(text)?.nanos;
}
function parseQuantity(text) {
  const match = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]?|[eE][+-]?\d+)$/.exec(
    text,
  );
  if (match === null) return void 0;
  const [, sign, digits = '', suffix = ''] = match;
  const [whole = '', fraction = ''] = digits.split('.');
  const mantissa = BigInt(`${whole}${fraction}`);
  const power = binary.indexOf(suffix);
  if (suffix !== '' && power > 0) {
    const nanos2 = scale(mantissa * 1024n ** BigInt(power), 9 - fraction.length);
    return { nanos: sign === '-' ? -nanos2 : nanos2, family: 'binary' };
  }
  const exponent = decimal.get(suffix) ?? Number(suffix.slice(1));
  if (exponent > MAX_EXPONENT) return void 0;
  const nanos = scale(mantissa, exponent + 9 - fraction.length);
  const family = decimal.has(suffix) ? 'decimal' : 'exponent';
  return { nanos: sign === '-' ? -nanos : nanos, family };
}
function scale(value, exponent) {
  if (exponent >= 0) return value * 10n ** BigInt(exponent);
  if (value === 0n) return 0n;
  if (exponent < -value.toString().length) return 1n;
  const divisor = 10n ** BigInt(-exponent);
  return (value + divisor - 1n) / divisor;
}
function format({ nanos, family }) {
  if (nanos === 0n) return '0';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (family === 'binary' && size >= 1024n * 1000000000n && size % 1000000000n === 0n) {
    return sign + formatBinary(size / 1000000000n);
  }
  return sign + formatDecimal(size, family === 'exponent');
}
function formatBinary(units2) {
  let value = units2;
  let power = 0;
  while (value % 1024n === 0n && power < binary.length - 1) {
    value /= 1024n;
    power += 1;
  }
  return `${value}${binary[power]}`;
}
function formatDecimal(nanos, asExponent) {
  let value = nanos;
  let exponent = -9;
  while (value % 1000n === 0n && exponent < 18) {
    value /= 1000n;
    exponent += 3;
  }
  if (asExponent) return exponent === 0 ? `${value}` : `${value}e${exponent}`;
  return `${value}${decimalSuffix.get(exponent) ?? ''}`;
}

// packages/cel/src/compile/cel-library.ts
import { RE2JS } from 're2js';

// packages/cel/src/values/addresses/ip-address.ts
var mapped = 0xffff00000000n;
var IpAddress = class _IpAddress extends LibraryValue {
  family;
  bits;
  constructor(family, bits) {
    super();
    this.family = family;
    this.bits = bits;
  }
  static parse(text) {
    const address2 = parseAddress(text);
    if (typeof address2 === 'string') {
      return fail(
        `IP Address ${quoteText(text)} parse error during conversion from string: ${address2}`,
      );
    }
    if (text.includes('%')) {
      return fail(`IP address ${quoteText(text)} with zone value is not allowed`);
    }
    return unmapped(new _IpAddress(address2.family, address2.bits), text);
  }
  static isAddress(text) {
    return succeeds(() => _IpAddress.parse(text));
  }
  get type() {
    return ipType;
  }
  get width() {
    return this.family === 4 ? 32 : 128;
  }
  /** True if the first bits are equal to those of another address. */
  startsLike(prefix, length) {
    const other = parseAddress(prefix);
    if (typeof other === 'string' || other.family !== this.family) return false;
    return this.sharesBits(new _IpAddress(other.family, other.bits), length);
  }
  sharesBits(other, length) {
    const rest = BigInt(this.width - length);
    return this.bits >> rest === other.bits >> rest;
  }
  get isUnspecified() {
    return this.bits === 0n;
  }
  get isLoopback() {
    return this.startsLike('127.0.0.0', 8) || this.startsLike('::1', 128);
  }
  get isMulticast() {
    return this.startsLike('224.0.0.0', 4) || this.startsLike('ff00::', 8);
  }
  get isLinkLocalMulticast() {
    if (this.family === 4) return this.startsLike('224.0.0.0', 24);
    return ((this.bits >> 112n) & 0xff0fn) === 0xff02n;
  }
  get isLinkLocalUnicast() {
    return this.startsLike('169.254.0.0', 16) || this.startsLike('fe80::', 10);
  }
  get isGlobalUnicast() {
    const broadcast = this.family === 4 && this.bits === 0xffffffffn;
    const special = this.isUnspecified || this.isLoopback || this.isMulticast;
    return !broadcast && !special && !this.isLinkLocalUnicast;
  }
  /** The canonical form of the address. */
  toString() {
    const groups = this.family === 4 ? 8n : 16n;
    const count = this.width / Number(groups);
    const parts2 = Array.from({ length: count }, (_, index) => {
      const shift = BigInt(this.width) - groups * BigInt(index + 1);
      return (this.bits >> shift) & ((1n << groups) - 1n);
    });
    if (this.family === 4) return parts2.join('.');
    const written = parts2.map((part) => part.toString(16)).join(':');
    return new URL(`http://[${written}]`).hostname.slice(1, -1);
  }
};
function parsePrefix(text) {
  const refuse2 = (words2) =>
    fail(
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${quoteText(text)}): ${words2}`,
    );
  const slash = text.lastIndexOf('/');
  if (slash < 0) return refuse2("no '/'");
  const parsed = parseAddress(text.slice(0, slash));
  if (typeof parsed === 'string') return refuse2(parsed);
  const address2 = new IpAddress(parsed.family, parsed.bits);
  if (text.includes('%')) return refuse2('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d*)$/.test(bits)) return refuse2(`bad bits after slash: ${quoteText(bits)}`);
  if (Number(bits) > address2.width) return refuse2('prefix length out of range');
  if (isMapped(address2)) {
    return fail(
      `network address parse error during conversion from string: IPv4-mapped IPv6 address ${quoteText(text)} is not allowed`,
    );
  }
  return { address: address2, length: Number(bits) };
}
function isMapped({ family, bits }) {
  return family === 6 && bits >> 32n === mapped >> 32n;
}
function unmapped(address2, text) {
  if (!isMapped(address2)) return address2;
  return fail(`IPv4-mapped IPv6 address ${quoteText(text)} is not allowed`);
}

// packages/cel/src/functions/address-functions.ts
var addressFunctions = [
  overload('ip(string): IP', (text) => IpAddress.parse(text)),
  overload('isIP(string): bool', (text) => IpAddress.isAddress(text)),
  overload('ip.isCanonical(string): bool', (text) => IpAddress.parse(text).toString() === text),
  overload('IP.family(): int', ({ family }) => BigInt(family)),
  ...flags(),
  overload('string(IP): string', String),
  overload('cidr(string): CIDR', (text) => new Network(text)),
  overload('isCIDR(string): bool', (text) => succeeds(() => parsePrefix(text))),
  // Fails with the same message as kube-apiserver, which does not say that the address is invalid.
  overload('CIDR.containsIP(string): bool', (network, text) =>
    IpAddress.isAddress(text) ? network.contains(IpAddress.parse(text)) : fail('no such overload'),
  ),
  overload('CIDR.containsIP(IP): bool', (network, address2) => network.contains(address2)),
  overload('CIDR.containsCIDR(string): bool', (network, text) => network.covers(new Network(text))),
  overload('CIDR.containsCIDR(CIDR): bool', (network, other) => network.covers(other)),
  overload('CIDR.ip(): IP', ({ address: address2 }) => address2),
  overload('CIDR.prefixLength(): int', ({ length }) => BigInt(length)),
  overload('CIDR.masked(): CIDR', (network) => network.masked),
  overload('string(CIDR): string', String),
];
function flags() {
  const names = [
    'isUnspecified',
    'isLoopback',
    'isLinkLocalMulticast',
    'isLinkLocalUnicast',
    'isGlobalUnicast',
  ];
  return names.map((name) => overload(`IP.${name}(): bool`, (address2) => address2[name]));
}
var Network = class _Network extends LibraryValue {
  address;
  length;
  constructor(text) {
    super();
    const { address: address2, length } = parsePrefix(text);
    this.address = address2;
    this.length = length;
  }
  get type() {
    return cidrType;
  }
  contains(address2) {
    return (
      address2.family === this.address.family && this.address.sharesBits(address2, this.length)
    );
  }
  covers({ address: address2, length }) {
    return this.contains(address2) && this.length <= length;
  }
  get masked() {
    const { family, width, bits } = this.address;
    const rest = BigInt(width - this.length);
    return new _Network(`${String(new IpAddress(family, (bits >> rest) << rest))}/${this.length}`);
  }
  toString() {
    return `${String(this.address)}/${this.length}`;
  }
};

// packages/cel/src/values/text.ts
function charactersOf(text) {
  return Array.from(text);
}
var surrogate = /[\uD800-\uDFFF]/;
function lengthOf(text) {
  return surrogate.test(text) ? charactersOf(text).length : text.length;
}

// packages/cel/src/values/type-of-value.ts
function typeOfValue(value) {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    case 'boolean':
      return boolType;
    default:
      return typeOfObject(value);
  }
}
function typeOfObject(value) {
  if (value === null) return nullType;
  if (value instanceof ObjectValue) return value.type;
  return value instanceof Uint8Array ? bytesType : anyList;
}

// packages/cel/src/values/type-value.ts
var anyType = typeOfType(dynType);
var TypeValue = class extends ObjectValue {
  name;
  constructor({ name }) {
    super();
    this.name = name === 'null' ? 'null_type' : name;
  }
  get type() {
    return anyType;
  }
  toString() {
    return this.name;
  }
};

// packages/cel/src/functions/strings/show-double.ts
function showDouble(value) {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 6) return Object.is(value, -0) ? '-0' : String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

// packages/cel/src/functions/conversions.ts
var identity = (value) => value;
var conversions = [
  ...sizes(),
  overload('type(A): type<A>', (value) => new TypeValue(typeOfValue(value))),
  overload('dyn(A): dyn', identity),
  overload('bool(bool): bool', identity),
  overload('bool(string): bool', boolOf),
  overload('bytes(bytes): bytes', identity),
  overload('bytes(string): bytes', (text) => Buffer.from(text)),
  overload('double(double): double', identity),
  overload('double(int): double', Number),
  overload('double(string): double', doubleOf),
  overload('double(uint): double', ({ value }) => Number(value)),
  overload('duration(duration): duration', identity),
  overload('duration(int): duration', () =>
    fail("type conversion error from 'int' to 'google.protobuf.Duration'"),
  ),
  overload(
    'duration(string): duration',
    (text) => Duration.parse(text) ?? unconvertible('google.protobuf.Duration'),
  ),
  overload('int(int): int', identity),
  overload('int(double): int', intOfDouble),
  overload('int(duration): int', ({ nanos }) => nanos),
  overload('int(string): int', intOf),
  overload('int(timestamp): int', ({ seconds }) => seconds),
  overload('int(uint): int', ({ value }) =>
    BigInt.asIntN(64, value) === value ? value : fail('integer overflow'),
  ),
  ...texts(),
  overload('timestamp(timestamp): timestamp', identity),
  overload('timestamp(int): timestamp', (seconds) => Timestamp.ofSeconds(seconds)),
  overload(
    'timestamp(string): timestamp',
    (text) => Timestamp.parse(text) ?? unconvertible('google.protobuf.Timestamp'),
  ),
  overload('uint(uint): uint', identity),
  overload('uint(double): uint', uintOfDouble),
  overload('uint(int): uint', (value) => new UnsignedInt(value)),
  overload('uint(string): uint', uintOf),
];
function sizes() {
  return [
    overload('size(bytes): int', sizeOfBytes),
    overload('bytes.size(): int', sizeOfBytes),
    overload('size(list<A>): int', sizeOfList),
    overload('list<A>.size(): int', sizeOfList),
    overload('size(map<A, B>): int', sizeOfMap),
    overload('map<A, B>.size(): int', sizeOfMap),
    overload('size(string): int', sizeOfText),
    overload('string.size(): int', sizeOfText),
  ];
}
function sizeOfText(text) {
  return BigInt(lengthOf(text));
}
function sizeOfBytes({ length }) {
  return BigInt(length);
}
function sizeOfList(list) {
  return BigInt(itemsOf(list).length);
}
function sizeOfMap({ size }) {
  return BigInt(size);
}
function texts() {
  return [
    overload('string(string): string', identity),
    overload('string(bool): string', String),
    overload('string(bytes): string', textOfBytes),
    overload('string(double): string', showDouble),
    overload('string(duration): string', String),
    overload('string(int): string', String),
    overload('string(timestamp): string', String),
    overload('string(uint): string', String),
  ];
}
function unconvertible(to) {
  return fail(`type conversion error from 'string' to '${to}'`);
}
var truths = /* @__PURE__ */ new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
var falsehoods = /* @__PURE__ */ new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);
function boolOf(text) {
  if (truths.has(text)) return true;
  return falsehoods.has(text) ? false : unconvertible('bool');
}
function doubleOf(text) {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return Number(text);
  const [, sign, word = ''] = /^([+-]?)(inf|infinity|nan)$/i.exec(text) ?? [];
  if (word === '') return unconvertible('double');
  if (word.toLowerCase() === 'nan') return Number.NaN;
  return sign === '-' ? -Infinity : Infinity;
}
function intOf(text) {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : void 0;
  return value !== void 0 && BigInt.asIntN(64, value) === value ? value : unconvertible('int');
}
function uintOf(text) {
  const value = /^\d+$/.test(text) ? BigInt(text) : void 0;
  if (value === void 0 || BigInt.asUintN(64, value) !== value) return unconvertible('uint');
  return new UnsignedInt(value);
}
function intOfDouble(value) {
  const fits = value > -(2 ** 63) && value < 2 ** 63;
  return fits ? BigInt(Math.trunc(value)) : fail('integer overflow');
}
function uintOfDouble(value) {
  const fits = value >= 0 && value < 2 ** 64;
  return fits ? new UnsignedInt(BigInt(Math.trunc(value))) : fail('unsigned integer overflow');
}
function textOfBytes(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string');
  }
}

// packages/cel/src/functions/format-functions.ts
var NamedFormat = class extends LibraryValue {
  name;
  check;
  /** The length of its regular expression, which determines the cost of a validation. */
  patternSize;
  constructor(name, patternSize, check) {
    super();
    this.name = name;
    this.check = check;
    this.patternSize = patternSize;
  }
  get type() {
    return formatType;
  }
  toString() {
    return this.name;
  }
};
var label = (text) =>
  checkSubdomain(text).length === 0 ? checkNameWithoutDots(text) : checkDnsLabel(text);
var formats2 = [
  new NamedFormat('dns1123Label', 30, label),
  new NamedFormat('dns1123Subdomain', 60, checkSubdomain),
  new NamedFormat('dns1035Label', 30, checkDns1035Label),
  new NamedFormat('qualifiedName', 60, checkQualifiedName),
  new NamedFormat('dns1123LabelPrefix', 30, asPrefix(label)),
  new NamedFormat('dns1123SubdomainPrefix', 60, asPrefix(checkSubdomain)),
  new NamedFormat('dns1035LabelPrefix', 30, asPrefix(checkDns1035Label)),
  new NamedFormat('labelValue', 40, checkLabelValue),
  new NamedFormat('uri', 1103, checkUri),
  new NamedFormat('uuid', 78, unless2('uuid', 'does not match the UUID format')),
  new NamedFormat('byte', 84, unless2('byte', 'invalid base64')),
  new NamedFormat('date', 106, unless2('date', 'invalid date')),
  new NamedFormat('datetime', 106, unless2('date-time', 'invalid datetime')),
];
var formatFunctions = [
  ...formats2.map((format2) => overload(`format.${format2.name}(): Format`, () => format2)),
  overload('format.named(string): optional<Format>', (name) =>
    Optional.of(formats2.find((format2) => format2.name === name)),
  ),
  overload('Format.validate(string): optional<list<string>>', ({ check }, text) => {
    const problems = check(text);
    return problems.length === 0 ? Optional.none : Optional.of(problems);
  }),
];
function patternSizeOf(format2) {
  return format2 instanceof NamedFormat ? format2.patternSize : 0;
}
function asPrefix(check) {
  return (text) => check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}
function unless2(format2, problem) {
  return (text) => (hasFormat(text, format2) ? [] : [problem]);
}
function checkUri(text) {
  try {
    void new WebAddress(text);
    return [];
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return [error.message.replace(/^URL parse error during conversion from string: /, '')];
  }
}

// packages/cel/src/functions/comparison.ts
function compareValues(one2, other) {
  if (one2 instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one2, other);
  if (typeof one2 === 'string' && typeof other === 'string') return compareTexts(one2, other);
  const left = ordered(one2);
  const right = ordered(other);
  if (Number.isNaN(left) || Number.isNaN(right)) return fail('NaN values cannot be ordered');
  if (left < right) return -1;
  return left > right ? 1 : 0;
}
function ordered(value) {
  if (value instanceof Timestamp || value instanceof Duration) return value.nanos;
  if (value instanceof UnsignedInt) return value.value;
  switch (typeof value) {
    case 'bigint':
    case 'number':
    case 'boolean':
      return value;
    default:
      return fail('no such overload');
  }
}
function compareTexts(one2, other) {
  if (one2 === other) return 0;
  const surrogates = /[\uD800-\uDFFF]/;
  if (surrogates.test(one2) || surrogates.test(other)) {
    return Buffer.compare(Buffer.from(one2), Buffer.from(other));
  }
  return one2 < other ? -1 : 1;
}

// packages/cel/src/functions/equality.ts
function equalValues(one2, other) {
  if (one2 === other) return true;
  const number = numberOf(one2);
  if (number !== void 0) {
    const against = numberOf(other);
    return against !== void 0 && number == against;
  }
  if (typeof one2 !== 'object' || one2 === null || typeof other !== 'object' || other === null) {
    return false;
  }
  if (isList(one2)) return isList(other) && equalLists(one2, other);
  if (one2 instanceof MapValue) return other instanceof MapValue && equalMaps(one2, other);
  return equalScalars(one2, other);
}
function numberOf(value) {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof UnsignedInt ? value.value : void 0;
}
function equalScalars(one2, other) {
  if (one2 instanceof Uint8Array) {
    return other instanceof Uint8Array && Buffer.compare(one2, other) === 0;
  }
  if (one2 instanceof Timestamp) return other instanceof Timestamp && one2.nanos === other.nanos;
  if (one2 instanceof Duration) return other instanceof Duration && one2.nanos === other.nanos;
  if (one2 instanceof TypeValue) return other instanceof TypeValue && one2.name === other.name;
  if (one2 instanceof Optional) return other instanceof Optional && equalOptionals(one2, other);
  if (!(one2 instanceof LibraryValue) || !(other instanceof LibraryValue)) return false;
  return one2.type === other.type && one2.toString() === other.toString();
}
function equalOptionals(one2, other) {
  if (!one2.hasValue || !other.hasValue) return one2.hasValue === other.hasValue;
  return equalValues(one2.value, other.value);
}
function equalLists(one2, other) {
  const items = itemsOf(one2);
  const others = itemsOf(other);
  if (items.length !== others.length) return false;
  if (!(one2 instanceof SchemaList)) {
    return items.every((item, index) => equalValues(item, others[index] ?? null));
  }
  const byKey = one2.byKey();
  return others.every((item) => {
    const counterpart = byKey.get(one2.identity.keyOf(item));
    return counterpart !== void 0 && equalValues(counterpart, item);
  });
}
function equalMaps(one2, other) {
  if (one2.size !== other.size) return false;
  const known = one2.equals(other, equalValues);
  if (known !== void 0) return known;
  return one2.keys().every((key) => {
    const value = one2.get(key);
    const against = other.get(key);
    return value !== void 0 && against !== void 0 && equalValues(value, against);
  });
}

// packages/cel/src/functions/list-functions.ts
var comparable = 'int uint double bool duration timestamp string bytes'.split(' ');
var listFunctions = [
  ...comparable.flatMap((type) => [
    onList(`list<${type}>.isSorted(): bool`, isSorted),
    onList(`list<${type}>.max(): ${type}`, (items) => extreme(items, 'max', 1)),
    onList(`list<${type}>.min(): ${type}`, (items) => extreme(items, 'min', -1)),
    onList(`list<${type}>.sort(): list<${type}>`, (items) => sorted(items, items)),
    overload(`list<T>.@sortByAssociatedKeys(list<${type}>): list<T>`, (list, keys) =>
      sorted(itemsOf(list), itemsOf(keys)),
    ),
  ]),
  ...sums(),
  onList('list<A>.indexOf(A): int', (items, item) =>
    BigInt(items.findIndex((each) => equalValues(each, item))),
  ),
  onList('list<A>.lastIndexOf(A): int', (items, item) =>
    BigInt(items.findLastIndex((each) => equalValues(each, item))),
  ),
  overload('list<T>.slice(int, int): list<T>', slice),
  onList('list<list<T>>.flatten(): list<T>', (items) => flatten(items, 1n)),
  overload('list<dyn>.flatten(int): list<dyn>', (list, depth) => flatten(itemsOf(list), depth)),
  overload('lists.range(int): list<int>', (count) =>
    Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)),
  ),
  onList('list<T>.reverse(): list<T>', (items) => items.toReversed()),
  onList('list<T>.distinct(): list<T>', distinct),
  onList('list<T>.first(): optional<T>', (items) => Optional.of(items[0])),
  onList('list<T>.last(): optional<T>', (items) => Optional.of(items.at(-1))),
];
function onList(signature, compute) {
  return overload(signature, (list, argument) => compute(itemsOf(list), argument));
}
function isSorted(items) {
  return items.every((item, index) => {
    const before = items[index - 1];
    return before === void 0 || compareValues(before, item) <= 0;
  });
}
function extreme(items, name, sign) {
  const [first, ...rest] = items;
  if (first === void 0) return fail(`${name} called on empty list`);
  let best = first;
  for (const item of rest) if (compareValues(item, best) === sign) best = item;
  return best;
}
function sums() {
  return [
    onList('list<int>.sum(): int', (items) => {
      const sum = items.reduce((total, item) => total + item, 0n);
      return BigInt.asIntN(64, sum) === sum ? sum : fail('integer overflow');
    }),
    onList(
      'list<uint>.sum(): uint',
      (items) => new UnsignedInt(items.reduce((sum, { value }) => sum + value, 0n)),
    ),
    onList('list<double>.sum(): double', (items) => items.reduce((sum, item) => sum + item, 0)),
    onList(
      'list<duration>.sum(): duration',
      (items) => new Duration(items.reduce((sum, { nanos }) => sum + nanos, 0n)),
    ),
  ];
}
function slice(list, start, end) {
  const items = itemsOf(list);
  const call = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) return fail(`${call}, negative indexes not supported`);
  if (start > end) return fail(`${call}, start index must be less than or equal to end index`);
  if (end > items.length) return fail(`${call}, list is length ${items.length}`);
  return items.slice(Number(start), Number(end));
}
function flatten(items, depth) {
  if (depth < 0n) return fail('level must be non-negative');
  return items.flatMap((item) =>
    depth > 0n && isList(item) ? flatten(itemsOf(item), depth - 1n) : [item],
  );
}
function distinct(items) {
  const kept = [];
  for (const item of items) {
    if (!kept.some((each) => equalValues(each, item))) kept.push(item);
  }
  return kept;
}
function sorted(items, keys) {
  const [first] = keys;
  if (first === void 0) return items;
  const type = typeOfValue(first);
  if (!keys.every((key) => sameType(typeOfValue(key), type))) {
    return fail('list elements must have the same type');
  }
  return items
    .map((item, index) => [item, keys[index] ?? null])
    .toSorted(([, one2], [, other]) => compareValues(one2, other))
    .map(([item]) => item);
}

// packages/cel/src/functions/operators.ts
var comparable2 = 'bool int uint double string bytes timestamp duration'.split(' ');
var numbers = ['int', 'uint', 'double'];
var comparators = {
  '<': (order2) => order2 < 0,
  '<=': (order2) => order2 <= 0,
  '>': (order2) => order2 > 0,
  '>=': (order2) => order2 >= 0,
};
var operators = [
  ...arithmetic(),
  ...comparisons(),
  overload('!_(bool): bool', (value) => !value),
  overload('_&&_(bool, bool): bool', evaluatedElsewhere),
  overload('_||_(bool, bool): bool', evaluatedElsewhere),
  overload('_?:_(bool, A, A): A', evaluatedElsewhere),
  overload('_?_:_(bool, A, A): A', evaluatedElsewhere),
  overload('@not_strictly_false(bool): bool', evaluatedElsewhere),
  overload('_==_(A, A): bool', equalValues),
  overload('_!=_(A, A): bool', (one2, other) => !equalValues(one2, other)),
  overload('@in(A, list<A>): bool', (item, list) =>
    itemsOf(list).some((each) => equalValues(each, item)),
  ),
  overload('@in(A, map<A, B>): bool', (key, map) => map.get(key) !== void 0),
  overload('_[_](list<A>, int): A', itemAt),
  overload('_[_](map<A, B>, A): B', entryAt),
];
function evaluatedElsewhere() {
  throw new Error('an operator with operands that are not always evaluated was called');
}
function arithmetic() {
  return [
    overload('_+_(bytes, bytes): bytes', (one2, other) => Buffer.concat([one2, other])),
    overload('_+_(double, double): double', (one2, other) => one2 + other),
    overload(
      '_+_(duration, duration): duration',
      (one2, other) => new Duration(one2.nanos + other.nanos),
    ),
    overload(
      '_+_(duration, timestamp): timestamp',
      (one2, other) => new Timestamp(one2.nanos + other.nanos, other.offset),
    ),
    overload(
      '_+_(timestamp, duration): timestamp',
      (one2, other) => new Timestamp(one2.nanos + other.nanos, one2.offset),
    ),
    overload('_+_(int, int): int', (one2, other) => integer(one2 + other)),
    overload('_+_(list<A>, list<A>): list<A>', joined),
    overload('_+_(string, string): string', (one2, other) => one2 + other),
    overload(
      '_+_(uint, uint): uint',
      unsigned((one2, other) => one2 + other),
    ),
    overload('_-_(double, double): double', (one2, other) => one2 - other),
    overload(
      '_-_(duration, duration): duration',
      (one2, other) => new Duration(one2.nanos - other.nanos),
    ),
    overload('_-_(int, int): int', (one2, other) => integer(one2 - other)),
    overload(
      '_-_(timestamp, duration): timestamp',
      (one2, other) => new Timestamp(one2.nanos - other.nanos, one2.offset),
    ),
    overload(
      '_-_(timestamp, timestamp): duration',
      (one2, other) => new Duration(one2.nanos - other.nanos),
    ),
    overload(
      '_-_(uint, uint): uint',
      unsigned((one2, other) => one2 - other),
    ),
    overload('_*_(double, double): double', (one2, other) => one2 * other),
    overload('_*_(int, int): int', (one2, other) => integer(one2 * other)),
    overload(
      '_*_(uint, uint): uint',
      unsigned((one2, other) => one2 * other),
    ),
    overload('_/_(double, double): double', (one2, other) => one2 / other),
    overload('_/_(int, int): int', (one2, other) => integer(quotient(one2, other))),
    overload('_/_(uint, uint): uint', unsigned(quotient)),
    overload('_%_(int, int): int', remainder),
    overload('_%_(uint, uint): uint', unsigned(remainder)),
    overload('-_(double): double', (value) => -value),
    overload('-_(int): int', (value) => integer(-value)),
  ];
}
function integer(value) {
  return BigInt.asIntN(64, value) === value ? value : fail('integer overflow');
}
function unsigned(operation) {
  return (one2, other) => new UnsignedInt(operation(one2.value, other.value));
}
function quotient(one2, other) {
  return other === 0n ? fail('division by zero') : one2 / other;
}
function remainder(one2, other) {
  return other === 0n ? fail('modulus by zero') : one2 % other;
}
function joined(one2, other) {
  if (one2 instanceof SchemaList) return one2.merge(itemsOf(other));
  return [...one2, ...itemsOf(other)];
}
function comparisons() {
  const pairs = comparable2.flatMap((type) =>
    (numbers.includes(type) ? numbers : [type]).map((other) => [type, other]),
  );
  return Object.entries(comparators).flatMap(([operator, holds]) =>
    pairs.map(([type, other]) =>
      overload(`_${operator}_(${type}, ${other}): bool`, (left, right) =>
        holds(compareValues(left, right)),
      ),
    ),
  );
}
function itemAt(list, index) {
  const items = itemsOf(list);
  const item = index < 0n ? void 0 : items[Number(index)];
  return item === void 0 ? fail(`index out of bounds: ${index}`) : item;
}
function entryAt(map, key) {
  const value = map.get(key);
  return value === void 0 ? fail(`no such key: ${showValue(key)}`) : value;
}

// packages/cel/src/functions/optional-functions.ts
var optionalFunctions = [
  overload('optional.of(V): optional<V>', (value) => Optional.of(value)),
  overload('optional.ofNonZeroValue(V): optional<V>', (value) =>
    isZero(value) ? Optional.none : Optional.of(value),
  ),
  overload('optional.none(): optional<V>', () => Optional.none),
  overload('optional<V>.value(): V', ({ value }) => value),
  overload('optional<V>.hasValue(): bool', ({ hasValue }) => hasValue),
  overload('optional<V>.or(optional<V>): optional<V>', (one2, other) =>
    one2.hasValue ? one2 : other,
  ),
  overload('optional<V>.orValue(V): V', (one2, other) => (one2.hasValue ? one2.value : other)),
  overload('_?._(dyn, string): optional<V>', member),
  overload('_[?_](list<V>, int): optional<V>', member),
  overload('_[?_](optional<list<V>>, int): optional<V>', member),
  overload('_[?_](map<K, V>, K): optional<V>', member),
  overload('_[?_](optional<map<K, V>>, K): optional<V>', member),
  overload('_[_](optional<list<V>>, int): optional<V>', member),
  overload('_[_](optional<map<K, V>>, K): optional<V>', member),
  overload('optional.unwrap(list<optional<V>>): list<V>', unwrap),
  overload('list<optional<V>>.unwrapOpt(): list<V>', unwrap),
  overload('cel.@mapInsert(map<K, V>, K, V): map<K, V>', (map, key, value) =>
    map.copy().insert(key, value),
  ),
  overload('cel.@mapInsert(map<K, V>, map<K, V>): map<K, V>', insertAll),
];
function member(container, key) {
  if (container instanceof Optional) {
    return container.hasValue ? member(container.value, key) : container;
  }
  if (container instanceof MapValue) return Optional.of(container.get(key));
  if (!isList(container) || typeof key !== 'bigint') return Optional.none;
  return Optional.of(key < 0n ? void 0 : itemsOf(container)[Number(key)]);
}
function isZero(value) {
  if (value === null || value === '' || value === false) return true;
  if (value === 0 || value === 0n) return true;
  if (isList(value)) return itemsOf(value).length === 0;
  if (value instanceof MapValue) return value.size === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof UnsignedInt) return value.value === 0n;
  if (value instanceof Timestamp) return value.nanos === -62135596800000000000n;
  return value instanceof Uint8Array && value.length === 0;
}
function unwrap(list) {
  return itemsOf(list)
    .filter(({ hasValue }) => hasValue)
    .map(({ value }) => value);
}
function insertAll(map, more) {
  const whole = map.copy();
  for (const key of more.keys()) whole.insert(key, more.get(key) ?? null);
  return whole;
}

// packages/cel/src/functions/quantity-functions.ts
var one = 1000000000n;
var quantityFunctions = [
  overload('quantity(string): Quantity', parse2),
  overload('isQuantity(string): bool', (text) => nanosOfQuantity(text) !== void 0),
  overload('sign(Quantity): int', ({ nanos }) => order(nanos, 0n)),
  overload('Quantity.isInteger(): bool', ({ integer: integer3 }) => integer3 !== void 0),
  overload(
    'Quantity.asInteger(): int',
    ({ integer: integer3 }) => integer3 ?? fail('cannot convert value to integer'),
  ),
  overload('Quantity.asApproximateFloat(): double', ({ nanos }) => Number(`${nanos}e-9`)),
  overload('Quantity.compareTo(Quantity): int', (left, right) => order(left.nanos, right.nanos)),
  overload('Quantity.isLessThan(Quantity): bool', (left, right) => left.nanos < right.nanos),
  overload('Quantity.isGreaterThan(Quantity): bool', (left, right) => left.nanos > right.nanos),
  ...sums2('add', 1n),
  ...sums2('sub', -1n),
];
var Quantity = class _Quantity extends LibraryValue {
  nanos;
  /** The power of ten of the stored number; `undefined` if the number has too many digits. */
  scale;
  constructor(nanos, scale2) {
    super();
    this.nanos = nanos;
    this.scale = scale2;
  }
  get type() {
    return quantityType;
  }
  /**
   * The value as an int; `undefined` for a quantity that is stored as a fraction, such as `1000m`, or exceeds an
   * int.
   */
  get integer() {
    const value = this.nanos / one;
    const whole = this.scale !== void 0 && this.scale >= 0;
    return whole && BigInt.asIntN(64, value) === value ? value : void 0;
  }
  /** The canonical form of the quantity. */
  get text() {
    return canonicalQuantity(`${this.nanos}n`) ?? '';
  }
  plus(nanos, scale2) {
    if (nanos === 0n) return this;
    if (this.nanos === 0n) return new _Quantity(nanos, scale2);
    const known = this.scale !== void 0 && scale2 !== void 0;
    const least = known ? Math.min(this.scale, scale2) : void 0;
    return new _Quantity(this.nanos + nanos, least);
  }
  toString() {
    return String(this.nanos);
  }
};
function parse2(text) {
  const nanos = nanosOfQuantity(text);
  return nanos === void 0 ? fail(quantitySyntaxMessage) : new Quantity(nanos, scaleOf(text));
}
var powers = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
function scaleOf(text) {
  const [, whole = '', fraction = '', suffix = ''] = /^[+-]?0*(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  if (suffix.endsWith('i')) {
    const bits = 10 * ' KMGTPE'.indexOf(suffix.charAt(0));
    const digits = whole.length + Math.floor((bits * 3) / 10);
    return fraction === '' && digits <= 14 ? 0 : void 0;
  }
  const power = powers[suffix] ?? Number(suffix.slice(1));
  const scale2 = power - fraction.length;
  return whole.length + fraction.length <= 18 && scale2 >= -9 ? scale2 : void 0;
}
function order(left, right) {
  if (left === right) return 0n;
  return left < right ? -1n : 1n;
}
function sums2(name, sign) {
  return [
    overload(`Quantity.${name}(Quantity): Quantity`, (left, right) =>
      left.plus(sign * right.nanos, right.scale),
    ),
    overload(`Quantity.${name}(int): Quantity`, (left, right) => left.plus(sign * right * one, 0)),
  ];
}

// packages/cel/src/functions/set-functions.ts
var setFunctions = [
  overload('sets.contains(list<T>, list<T>): bool', contains),
  overload(
    'sets.equivalent(list<T>, list<T>): bool',
    (one2, other) => contains(one2, other) && contains(other, one2),
  ),
  overload('sets.intersects(list<T>, list<T>): bool', (one2, other) =>
    itemsOf(one2).some((item) => has(other, item)),
  ),
];
function contains(list, part) {
  return itemsOf(part).every((item) => has(list, item));
}
function has(list, item) {
  return itemsOf(list).some((each) => equalValues(each, item));
}

// packages/cel/src/functions/strings/fixed-point.ts
var MAX_DECIMALS = 1074;
function fixedPoint(number, precision) {
  const digits = Math.min(precision, MAX_DECIMALS);
  const text = String(scaled2(Math.abs(number), digits)).padStart(digits + 1, '0');
  const sign = number < 0 ? '-' : '';
  const whole = text.slice(0, text.length - digits);
  if (precision === 0) return sign + whole;
  return `${sign}${whole}.${text.slice(text.length - digits).padEnd(precision, '0')}`;
}
function scaled2(number, digits) {
  let significand = number;
  let halvings = 0n;
  while (!Number.isInteger(significand)) {
    significand *= 2;
    halvings += 1n;
  }
  const product = BigInt(significand) * 10n ** BigInt(digits);
  const quotient2 = product >> halvings;
  const twice2 = (product - (quotient2 << halvings)) * 2n;
  const one2 = 1n << halvings;
  const up = twice2 > one2 || (twice2 === one2 && quotient2 % 2n === 1n);
  return up ? quotient2 + 1n : quotient2;
}

// packages/cel/src/functions/strings/format-function.ts
var formatFunction = overload('string.format(list<dyn>): string', (template, list) => {
  const args = itemsOf(list);
  return fillTemplate(template, (clause, index) => {
    const value = args[index];
    if (value === void 0) return fail(`index ${index} out of range`);
    return formatClause(clause, value);
  });
});
function fillTemplate(template, fill) {
  let index = 0;
  return template.replaceAll(/%(%|(?:\.(\d*))?(.?))/gs, (_, whole, digits, verb) => {
    if (whole === '%') return '%';
    const clause = { verb, precision: digits === void 0 ? void 0 : Number(digits) };
    index += 1;
    return fill(clause, index - 1);
  });
}
var FIRST_REJECTED_PRECISION = 10000010;
function formatClause(clause, value) {
  const write = writers[clause.verb];
  if (clause.verb === '') return fail(unfinished(clause));
  if (write === void 0) {
    return fail(
      `could not parse formatting clause: unrecognized formatting clause "${clause.verb}"`,
    );
  }
  const { precision = 6 } = clause;
  if (precision >= FIRST_REJECTED_PRECISION) return '%!(NOVERB)';
  const text = write(value, precision);
  if (text !== void 0) return text;
  return fail(`error during formatting: ${clauseProblem(clause.verb, typeName(value))}`);
}
function unfinished({ precision }) {
  return precision === void 0
    ? 'unexpected end of string'
    : 'could not parse formatting clause: error while parsing precision: could not find end of precision specifier';
}
function typeName(value) {
  const type = typeOfValue(value);
  return type.parameters.length > 0 ? type.name : showType(type).replace(/^null$/, 'null_type');
}
var clauseWords = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};
function clauseProblem(verb, type) {
  return `${clauseWords[verb]}, was given ${type}`;
}
function isClause(verb) {
  return verb in clauseWords;
}
var writers = {
  s: writeText,
  d: (value) => integerOf(value)?.toString(),
  f: (value, precision) => real(value, (number) => grouped(fixedPoint(number, precision))),
  // As in kube-apiserver, the precision of `e` sets the width.
  e: (value, precision) => real(value, scientific)?.padStart(precision),
  b: (value) =>
    typeof value === 'boolean' ? String(Number(value)) : integerOf(value)?.toString(2),
  x: writeHex,
  X: (value) => writeHex(value)?.toUpperCase(),
  o: (value) => integerOf(value)?.toString(8),
};
function integerOf(value) {
  if (value instanceof UnsignedInt) return value.value;
  return typeof value === 'bigint' ? value : void 0;
}
function real(value, write) {
  const special = value === 'NaN' || value === 'Infinity' || value === '-Infinity';
  if (typeof value !== 'number' && !special) return void 0;
  const number = Number(value);
  if (Number.isFinite(number)) return write(number);
  if (Number.isNaN(number)) return 'NaN';
  return number > 0 ? '\u221E' : '-\u221E';
}
function grouped(digits) {
  const [whole = '', fraction] = digits.split('.');
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === void 0 ? groups : `${groups}.${fraction}`;
}
function scientific(number) {
  const [mantissa = '', exponent = '0'] = number.toExponential(6).split('e');
  const power = Number(exponent);
  const digits = String(Math.abs(power)).padStart(2, '0');
  const raised = Array.from(
    digits,
    (digit) => '\u2070\xB9\xB2\xB3\u2074\u2075\u2076\u2077\u2078\u2079'[Number(digit)],
  ).join('');
  return `${mantissa}\xD710${power < 0 ? '\u207B' : ''}${raised}`;
}
function writeHex(value) {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integerOf(value)?.toString(16);
}
function writeText(value) {
  if (isList(value)) return writeList(itemsOf(value));
  if (value instanceof MapValue) return writeMap(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value === 'number') return showDouble(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const simple3 = [Timestamp, Duration, UnsignedInt, TypeValue].some(
    (each) => value instanceof each,
  );
  return simple3 ? showValue(value) : void 0;
}
function writeList(items) {
  return `[${items.map(writeInner).join(', ')}]`;
}
function writeMap(map) {
  const entries = map
    .keys()
    .map((key) => [writeInner(key), writeInner(map.get(key) ?? null)])
    .toSorted(([one2], [other]) => (one2 < other ? -1 : 1));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}
function writeInner(value) {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `b${JSON.stringify(Buffer.from(value).toString('utf8'))}`;
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(String(value))})`;
  if (value instanceof Duration) return `duration(${JSON.stringify(String(value))})`;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value.toFixed(6) : JSON.stringify(showDouble(value));
  }
  return writeText(value) ?? fail(`no formatting function for ${typeName(value)}`);
}

// packages/cel/src/functions/strings/quote.ts
var escapes = /* @__PURE__ */ new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['	', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);
function quote(text) {
  const body = Array.from(text.toWellFormed(), (character) => escapes.get(character) ?? character);
  return `"${body.join('')}"`;
}

// packages/cel/src/functions/strings/string-functions.ts
var stringFunctions = [
  overload('string.contains(string): bool', (text, part) => text.includes(part)),
  overload('string.startsWith(string): bool', (text, part) => text.startsWith(part)),
  overload('string.endsWith(string): bool', (text, part) => text.endsWith(part)),
  overload('string.charAt(int): string', charAt),
  overload('string.indexOf(string): int', (text, part) => indexOf(text, part, 0n)),
  overload('string.indexOf(string, int): int', indexOf),
  overload('string.lastIndexOf(string): int', lastIndexOf),
  overload('string.lastIndexOf(string, int): int', lastIndexFrom),
  overload('string.lowerAscii(): string', (text) =>
    text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  ),
  overload('string.upperAscii(): string', (text) =>
    text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
  ),
  overload('string.replace(string, string): string', (text, old, next2) =>
    replace(text, old, next2, -1n),
  ),
  overload('string.replace(string, string, int): string', replace),
  overload('string.split(string): list<string>', (text, separator) => split(text, separator, -1n)),
  overload('string.split(string, int): list<string>', split),
  overload('string.substring(int): string', (text, start) => {
    const characters = charactersOf(text);
    return inside(characters, start).slice(Number(start)).join('');
  }),
  overload('string.substring(int, int): string', substring),
  overload('string.trim(): string', (text) => text.replaceAll(/^[\s\u0085]+|[\s\u0085]+$/g, '')),
  overload('list<string>.join(): string', (list) => join(list, '')),
  overload('list<string>.join(string): string', join),
  overload('strings.quote(string): string', quote),
];
function inside(characters, index) {
  const within = index >= 0n && index <= characters.length;
  return within ? characters : fail(`index out of range: ${index}`);
}
function charAt(text, index) {
  return inside(charactersOf(text), index)[Number(index)] ?? '';
}
function substring(text, start, end) {
  if (start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`);
  const characters = charactersOf(text);
  inside(characters, start);
  return inside(characters, end).slice(Number(start), Number(end)).join('');
}
function indexOf(text, part, from) {
  if (part === '') return from;
  if (from < 0n) return fail(`index out of range: ${from}`);
  const characters = charactersOf(text);
  const before = characters.slice(0, Number(from)).join('').length;
  return characterIndex(text, text.indexOf(part, before));
}
function lastIndexOf(text, part) {
  const { length } = charactersOf(text);
  if (part === '' || length === 0) return part === '' ? BigInt(length) : -1n;
  return lastIndexFrom(text, part, BigInt(length - 1));
}
function lastIndexFrom(text, part, from) {
  if (part === '') return from;
  if (from < 0n) return fail(`index out of range: ${from}`);
  const characters = charactersOf(text);
  if (from >= characters.length) return -1n;
  const before = characters.slice(0, Number(from)).join('').length;
  return characterIndex(text, text.lastIndexOf(part, before));
}
function characterIndex(text, index) {
  return index < 0 ? -1n : BigInt(charactersOf(text.slice(0, index)).length);
}
function replace(text, old, next2, most) {
  if (old === '') return interspersed(text, next2, most);
  const parts2 = text.split(old);
  const count = most < 0n ? parts2.length - 1 : Math.min(Number(most), parts2.length - 1);
  const head = parts2.slice(0, count + 1).join(next2);
  return [head, ...parts2.slice(count + 1)].join(old);
}
function interspersed(text, next2, most) {
  const characters = [...charactersOf(text), ''];
  const count = most < 0n ? characters.length : Number(most);
  return characters
    .map((character, index) => (index < count ? next2 + character : character))
    .join('');
}
function split(text, separator, most) {
  if (most === 0n) return [];
  const parts2 = separator === '' ? charactersOf(text) : text.split(separator);
  if (most < 0n || parts2.length <= most) return parts2;
  const head = parts2.slice(0, Number(most) - 1);
  return [...head, parts2.slice(Number(most) - 1).join(separator)];
}
function join(list, separator) {
  return itemsOf(list).map(showValue).join(separator);
}

// packages/cel/src/functions/time-functions.ts
var parts = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDate: (local) => local.getUTCDate(),
  getDayOfWeek: (local) => local.getUTCDay(),
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
  getMilliseconds: (local) => local.getUTCMilliseconds(),
};
var timeFunctions = [
  ...Object.entries(parts).flatMap(([name, part]) => [
    overload(`timestamp.${name}(): int`, (moment) =>
      BigInt(part(new Date(Number(moment.milliseconds)))),
    ),
    overload(`timestamp.${name}(string): int`, (moment, zone) =>
      BigInt(part(localDate(moment, zone))),
    ),
  ]),
  overload('duration.getHours(): int', ({ nanos }) => nanos / 3600000000000n),
  overload('duration.getMinutes(): int', ({ nanos }) => nanos / 60000000000n),
  overload('duration.getSeconds(): int', ({ nanos }) => nanos / 1000000000n),
  overload('duration.getMilliseconds(): int', ({ nanos }) => nanos / 1000000n),
];
function dayOfYear(local) {
  const start = Date.UTC(local.getUTCFullYear(), 0, 1);
  return Math.floor((local.getTime() - start) / 864e5);
}
function localDate(moment, zone) {
  const milliseconds = Number(moment.milliseconds);
  const offset = /^[+-]?\d{2}:\d{2}$/.test(zone)
    ? Number(offsetSeconds(zone)) * 1e3
    : namedOffset(new Date(milliseconds), zone);
  return new Date(milliseconds + offset);
}
function namedOffset(date, timeZone) {
  const whole = new Date(Math.floor(date.getTime() / 1e3) * 1e3);
  return Date.parse(localText(whole, timeZone)) - whole.getTime();
}
function localText(date, timeZone) {
  try {
    const text = date.toLocaleString('sv-SE', { timeZone: timeZone || 'UTC' });
    return `${text.replace(' ', 'T')}Z`;
  } catch {
    return fail(`unknown time zone ${timeZone}`);
  }
}

// packages/cel/src/functions/url-functions.ts
var urlFunctions = [
  overload('url(string): URL', (text) => new WebAddress(text)),
  overload('isURL(string): bool', (text) => succeeds(() => new WebAddress(text))),
  overload('URL.getScheme(): string', ({ scheme }) => scheme),
  overload('URL.getHost(): string', ({ host }) => host),
  overload('URL.getHostname(): string', ({ hostname: hostname2 }) => hostname2),
  overload('URL.getPort(): string', ({ port }) => port),
  overload('URL.getEscapedPath(): string', ({ path }) => path),
  overload('URL.getQuery(): map<string, list<string>>', ({ parameters }) => {
    const map = new MadeMap();
    for (const [name, values] of parameters) map.set(name, values);
    return map;
  }),
];

// packages/cel/src/functions/version-functions.ts
var versionFunctions = [
  overload('semver(string): Semver', (text) => parse3(text)),
  overload('semver(string, bool): Semver', (text, lenient) =>
    parse3(lenient ? normalize(text) : text),
  ),
  overload('isSemver(string): bool', (text) => succeeds(() => parse3(text))),
  overload('isSemver(string, bool): bool', (text, lenient) =>
    succeeds(() => parse3(lenient ? normalize(text) : text)),
  ),
  overload('Semver.major(): int', ({ numbers: numbers2 }) => numbers2[0]),
  overload('Semver.minor(): int', ({ numbers: numbers2 }) => numbers2[1]),
  overload('Semver.patch(): int', ({ numbers: numbers2 }) => numbers2[2]),
  overload('Semver.compareTo(Semver): int', (left, right) => BigInt(compare(left, right))),
  overload('Semver.isLessThan(Semver): bool', (left, right) => compare(left, right) < 0),
  overload('Semver.isGreaterThan(Semver): bool', (left, right) => compare(left, right) > 0),
];
var Version = class extends LibraryValue {
  numbers;
  prerelease;
  constructor(numbers2, prerelease) {
    super();
    this.numbers = numbers2;
    this.prerelease = prerelease;
  }
  get type() {
    return semverType;
  }
  /** The version without its build metadata, which comparisons ignore. */
  toString() {
    return [this.numbers.join('.'), ...this.prerelease].join('-');
  }
};
function parse3(text) {
  if (text === '') return fail('Version string empty');
  const parts2 = text.split('.');
  if (parts2.length < 3) return fail('No Major.Minor.Patch elements found');
  const [major = '', minor = '', ...rest] = parts2;
  const [, patch = '', before, build] =
    /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest.join('.')) ?? [];
  const numbers2 = [
    numberOf2(major, 'Major'),
    numberOf2(minor, 'Minor'),
    numberOf2(patch, 'Patch'),
  ];
  const prerelease = before?.split('.') ?? [];
  for (const each of prerelease) checkPrerelease(each);
  for (const each of build?.split('.') ?? []) checkBuild(each);
  return new Version(numbers2, prerelease);
}
function numberOf2(text, name) {
  if (!/^\d*$/.test(text)) {
    return fail(`Invalid character(s) found in ${name.toLowerCase()} number ${quoteText(text)}`);
  }
  if (/^0\d/.test(text)) {
    return fail(`${name} number must not contain leading zeroes ${quoteText(text)}`);
  }
  if (text === '') return fail('strconv.ParseUint: parsing "": invalid syntax');
  const number = BigInt(text);
  return BigInt.asUintN(64, number) === number
    ? number
    : fail(`strconv.ParseUint: parsing ${quoteText(text)}: value out of range`);
}
function checkPrerelease(text) {
  if (text === '') fail('Prerelease is empty');
  if (/^0\d+$/.test(text)) {
    fail(`Numeric PreRelease version must not contain leading zeroes ${quoteText(text)}`);
  }
  if (!/^[0-9A-Za-z-]+$/.test(text)) {
    fail(`Invalid character(s) found in prerelease ${quoteText(text)}`);
  }
}
function checkBuild(text) {
  if (text === '') fail('Build meta data is empty');
  if (!/^[0-9A-Za-z-]+$/.test(text)) {
    fail(`Invalid character(s) found in build meta data ${quoteText(text)}`);
  }
}
function normalize(text) {
  const [first = '', second3, ...rest] = text.replace(/^v/, '').split('.');
  const third = rest.length === 0 ? void 0 : rest.join('.');
  const parts2 = [first, second3, third].filter((part) => part !== void 0).map(withoutZeros);
  if (parts2.length < 3 && /[+-]/.test(parts2.at(-1) ?? '')) {
    return fail('short version cannot contain PreRelease/Build meta data');
  }
  return [...parts2, '0', '0'].slice(0, 3).join('.');
}
function withoutZeros(part) {
  if (part.length < 2) return part;
  const rest = part.replace(/^0+/, '');
  return /^\d/.test(rest) ? rest : `0${rest}`;
}
function compare(left, right) {
  for (const [index, number] of left.numbers.entries()) {
    const other = right.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}
function comparePrereleases(left, right) {
  if (left.length === 0 || right.length === 0) {
    return Math.sign(right.length - left.length);
  }
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === void 0) return 1;
    const order2 = compareParts(part, other);
    if (order2 !== 0) return order2;
  }
  return left.length === right.length ? 0 : -1;
}
function compareParts(left, right) {
  const numeric = [left, right].map((part) => /^\d+$/.test(part));
  if (numeric[0] !== numeric[1]) return numeric[0] === true ? -1 : 1;
  const [one2, other] = numeric[0] === true ? [BigInt(left), BigInt(right)] : [left, right];
  if (one2 === other) return 0;
  return one2 < other ? -1 : 1;
}

// packages/cel/src/functions/function-library.ts
function functionLibrary(compiler) {
  return new FunctionTable([
    ...operators,
    ...conversions,
    ...stringFunctions,
    formatFunction,
    ...patternFunctions(compiler),
    ...timeFunctions,
    ...listFunctions,
    ...setFunctions,
    ...optionalFunctions,
    ...addressFunctions,
    ...quantityFunctions,
    ...versionFunctions,
    ...urlFunctions,
    ...formatFunctions,
  ]);
}

// packages/cel/src/compile/cel-library.ts
function makeCelLibrary() {
  return { functions: functionLibrary(RE2JS), patterns: RE2JS };
}

// packages/cel/src/syntax/expression.ts
function qualifiedName(expression) {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.testOnly) return void 0;
  const prefix = qualifiedName(expression.operand);
  return prefix === void 0 ? void 0 : `${prefix}.${expression.field}`;
}
function childrenOf(expression) {
  switch (expression.kind) {
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target ? [expression.target, ...expression.args] : expression.args;
    case 'list':
      return expression.elements.map(({ value }) => value);
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'comprehension': {
      const { range, initial, condition, step, result } = expression;
      return [range, initial, condition, step, result];
    }
    default:
      return [];
  }
}
function isEmptyList(expression) {
  return expression.kind === 'list' && expression.elements.length === 0;
}
function isBinding({ range, condition }) {
  return isEmptyList(range) && condition.kind === 'literal' && condition.value === false;
}
function hasMoreParts(expression, most) {
  const open = [expression];
  let count = 0;
  for (let part = open.pop(); part !== void 0; part = open.pop()) {
    count += 1;
    if (count > most) return true;
    open.push(...childrenOf(part));
  }
  return false;
}

// packages/cel/src/checks/literal-checks.ts
function checkLiterals(checked, compiler) {
  return new LiteralChecker(checked, compiler).check();
}
function patternIssue(checked, compiler) {
  const calls = callsIn(checked.expression).filter(({ name }) => /^find(All)?$/.test(name));
  for (const { args } of calls) {
    const source = textOf(args[0]);
    const problem = source === void 0 ? void 0 : patternProblem(compiler, source);
    if (problem !== void 0) return problem;
  }
  return void 0;
}
var LiteralChecker = class {
  #checked;
  #compiler;
  #issues = [];
  constructor(checked, compiler) {
    this.#checked = checked;
    this.#compiler = compiler;
  }
  check() {
    this.#visit(this.#checked.expression, false);
    return this.#issues;
  }
  /**
   * Visits an expression. `formatted`: the expression is an argument of `format`, which accepts lists of any types.
   */
  #visit(expression, formatted) {
    if (expression.kind === 'call') this.#call(expression);
    if (!formatted && expression.kind === 'list') this.#elements(expression.elements);
    if (!formatted && expression.kind === 'map') {
      this.#requireSameTypes(expression.entries.map(({ key }) => [key, this.#checked.typeOf(key)]));
      this.#elements(expression.entries);
    }
    const exempt = formatted || (expression.kind === 'call' && expression.name === 'format');
    for (const each of childrenOf(expression)) this.#visit(each, exempt);
  }
  #call(call) {
    const { name, target, args } = call;
    const [argument] = args;
    const text = textOf(name === 'matches' && target === void 0 ? args[1] : argument);
    if (text !== void 0 && this.#isWrong(name, text)) {
      this.#refuse(argument ?? call, `invalid ${name} argument`);
    }
    if (name === 'format' && argument?.kind === 'list') this.#format(call, argument.elements);
  }
  #isWrong(name, text) {
    switch (name) {
      case 'duration':
        return !succeeds(() => Duration.parse(text));
      case 'timestamp':
        return !succeeds(() => Timestamp.parse(text));
      case 'matches':
        return patternProblem(this.#compiler, text) !== void 0;
      default:
        return false;
    }
  }
  #elements(elements) {
    this.#requireSameTypes(
      elements.map(({ value, optional }) => {
        const type = this.#checked.typeOf(value);
        return [value, optional ? unwrapped(type) : type];
      }),
    );
  }
  /** Reports the first element whose type differs from that of the first element. */
  #requireSameTypes([first, ...rest]) {
    if (first === void 0) return;
    const [, expected] = first;
    const other = rest.find(([, type2]) => !sameType(type2, expected));
    if (other === void 0) return;
    const [place, type] = other;
    this.#refuse(place, `expected type '${showType(expected)}' but found '${showType(type)}'`);
  }
  #format(call, elements) {
    const template = textOf(call.target);
    if (template === void 0) return;
    let count = 0;
    let problem;
    fillTemplate(template, ({ verb }, index) => {
      count += 1;
      problem ??= this.#clause(call, verb, elements[index]?.value, index);
      return '';
    });
    if (problem !== void 0) this.#issues.push(problem);
    else if (elements.length > count) {
      const words2 = `too many arguments supplied to string.format (expected ${count}, got ${elements.length})`;
      this.#refuse(call, words2);
    }
  }
  #clause(call, verb, argument, index) {
    const { offset } = call;
    if (argument === void 0) return { offset, message: `index ${index} out of range` };
    if (verb === '') return { offset, message: 'unexpected end of string' };
    if (!isClause(verb)) {
      const words2 = `could not parse formatting clause: unrecognized formatting clause "${verb}"`;
      return { offset, message: words2 };
    }
    const type = this.#checked.typeOf(argument);
    if (type.kind === 'dyn' || formattable[verb]?.has(type.name) === true) return void 0;
    const message = `error during formatting: ${clauseProblem(verb, type.name)}`;
    return { offset: argument.offset, message };
  }
  #refuse({ offset }, message) {
    this.#issues.push({ offset, message });
  }
};
var integers = ['int', 'uint'];
var texts2 = ['string', 'bytes'];
var formattable = {
  s: /* @__PURE__ */ new Set([
    ...integers,
    ...texts2,
    'list',
    'map',
    'double',
    'bool',
    'type',
    'null',
    'google.protobuf.Timestamp',
    'google.protobuf.Duration',
  ]),
  d: new Set(integers),
  f: /* @__PURE__ */ new Set(['double', 'string']),
  e: /* @__PURE__ */ new Set(['double', 'string']),
  b: /* @__PURE__ */ new Set([...integers, 'bool']),
  x: /* @__PURE__ */ new Set([...integers, ...texts2]),
  X: /* @__PURE__ */ new Set([...integers, ...texts2]),
  o: new Set(integers),
};
function callsIn(expression) {
  const below = childrenOf(expression).flatMap(callsIn);
  return expression.kind === 'call' ? [expression, ...below] : below;
}
function textOf(expression) {
  if (expression?.kind !== 'literal' || typeof expression.value !== 'string') return void 0;
  return expression.value;
}

// packages/cel/src/cost/cost-factors.ts
var perCharacter = 0.1;
var perPatternCharacter = 0.25;
var allocation = 11;
var listCost = 10;
var mapCost = 30;

// packages/cel/src/cost/actual-cost.ts
var unit = () => 1;
var traversal = ([first = null]) => Math.ceil(sizeOf(first) * perCharacter);
var twice = ([first = null]) => Math.ceil(sizeOf(first) * 2 * perCharacter);
var smaller = ([one2 = null, other = null]) =>
  Math.ceil(Math.min(sizeOf(one2), sizeOf(other)) * perCharacter);
var everything = ([first = null]) => deepSize(first);
var FREE_COPIED_ITEMS = 1e4;
function copying(result) {
  const size = isList(result) ? itemsOf(result).length : 0;
  return 1 + Math.max(0, size - FREE_COPIED_ITEMS) * perCharacter;
}
var charges = {
  isSorted: everything,
  sum: everything,
  max: everything,
  min: everything,
  indexOf: everything,
  lastIndexOf: everything,
  url: traversal,
  lowerAscii: traversal,
  upperAscii: traversal,
  substring: traversal,
  trim: traversal,
  replace: twice,
  split: twice,
  join: (_, result) => Math.ceil(sizeOf(result) * 2 * perCharacter),
  find: pattern2,
  findAll: pattern2,
  matches: pattern2,
  cidr: traversal,
  isIP: traversal,
  isCIDR: traversal,
  ip: ([first = null]) => (typeof first === 'string' ? traversal([first], null) : 1),
  'ip.isCanonical': twice,
  quantity: traversal,
  isQuantity: traversal,
  semver: traversal,
  isSemver: traversal,
  validate: ([format2, text = null]) =>
    Math.ceil((1 + sizeOf(text)) * perCharacter) *
    Math.ceil(patternSizeOf(format2) * perPatternCharacter),
  startsWith: traversal,
  endsWith: traversal,
  format: traversal,
  '@in': ([, list = null]) => (isList(list) ? sizeOf(list) : 1),
  '_==_': smaller,
  '_!=_': smaller,
  '_+_': ([one2 = null, other = null], result) =>
    typeof one2 === 'string' || one2 instanceof Uint8Array
      ? Math.ceil((sizeOf(one2) + sizeOf(other)) * perCharacter)
      : copying(result),
  contains: ([text = null, part = null]) =>
    Math.ceil(sizeOf(text) * perCharacter) * Math.ceil(sizeOf(part) * perCharacter),
  'sets.contains': ([one2 = null, other = null]) => 1 + sizeOf(one2) * sizeOf(other),
  'sets.intersects': ([one2 = null, other = null]) => 1 + sizeOf(one2) * sizeOf(other),
  'sets.equivalent': ([one2 = null, other = null]) => 1 + 2 * sizeOf(one2) * sizeOf(other),
  slice: (_, result) => allocation + sizeOf(result),
  'lists.range': (_, result) => allocation + sizeOf(result),
  reverse: (_, result) => allocation + sizeOf(result),
  flatten: ([list = null, depth = 1n]) => allocation + Number(depth) * sizeOf(list),
  distinct: ([list = null]) => allocation + 2 * sizeOf(list) ** 2,
  sort: ([list = null]) => allocation + 2 * sizeOf(list) ** 2,
  '@sortByAssociatedKeys': ([, keys = null]) => allocation + 2 * sizeOf(keys) ** 2,
};
var ordering = /* @__PURE__ */ new Set(['_<_', '_<=_', '_>_', '_>=_']);
var ordered2 = (args, result) => (typeof args[0] === 'string' ? smaller : unit)(args, result);
function chargeOf({ name }) {
  return charges[name] ?? (ordering.has(name) ? ordered2 : unit);
}
function pattern2([text = null, source = null]) {
  const read = Math.ceil((1 + sizeOf(text)) * perCharacter);
  return read * Math.ceil(sizeOf(source) * perPatternCharacter);
}
function sizeOf(value) {
  if (typeof value === 'string') return lengthOf(value);
  if (isList(value)) return itemsOf(value).length;
  if (value instanceof MapValue) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof Optional && value.hasValue ? sizeOf(value.value) : 1;
}
function deepSize(value) {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * perCharacter);
  if (isList(value)) return itemsOf(value).reduce((sum, item) => sum + deepSize(item), 0);
  if (!(value instanceof MapValue)) return 1;
  return value
    .keys()
    .reduce((sum, key) => sum + deepSize(key) + deepSize(value.get(key) ?? null), 0);
}

// packages/cel/src/evaluation/run.ts
var COST_LIMIT = 1e6;
function charge(run, cost) {
  run.cost += cost;
  if (run.cost > run.costLimit) throw new CostLimitError();
}
function attempt(step, run) {
  try {
    return step(run);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

// packages/cel/src/evaluation/call-planner.ts
function planCall(planner, call) {
  const pushed = planPush(planner, call);
  if (pushed !== void 0) return pushed;
  const target = planner.checked.isQualified(call) ? void 0 : call.target;
  const expressions = [...(target ? [target] : []), ...call.args];
  const args = expressions.map((each) => planner.plan(each));
  const overloads = planner.checked.overloadsOf(call);
  const dynamic = overloads.length > 1 || expressions.some((each) => planner.isDynamic(each));
  return dynamic
    ? dispatched(overloads, args, overloads[0]?.name ?? call.name)
    : direct(overloads[0], args);
}
function computeOf({ implementation }) {
  return implementation;
}
function direct(only, args) {
  if (only === void 0) return () => fail('no such overload');
  const compute = computeOf(only);
  const costOf = chargeOf(only);
  const [one2, other, third] = args;
  if (one2 !== void 0 && other !== void 0 && third === void 0) {
    return binary2({ compute, costOf }, one2, other);
  }
  return (run) => {
    const values = args.map((arg) => arg(run));
    const result = compute(...values);
    charge(run, costOf(values, result));
    return result;
  };
}
function binary2({ compute, costOf }, one2, other) {
  return (run) => {
    const values = [one2(run), other(run)];
    const result = compute(values[0], values[1]);
    charge(run, costOf(values, result));
    return result;
  };
}
function dispatched(overloads, args, name) {
  return (run) => {
    const values = args.map((arg) => arg(run));
    const matching = overloads.find(({ parameters }) =>
      parameters.every((type, index) => accepts(type, values[index] ?? null)),
    );
    if (matching === void 0) return withoutOverload(name, values);
    const result = computeOf(matching)(...values);
    charge(run, chargeOf(matching)(values, result));
    return result;
  };
}
var functionsWithShortMessage = /* @__PURE__ */ new Set([
  'startsWith',
  'endsWith',
  'contains',
  'matches',
]);
function withoutOverload(name, values) {
  if (name === '_[?_]') return Optional.none;
  if (name === '_[_]') return fail(`no such key: ${showValue(values[1] ?? null)}`);
  if (!/^[\w.]+$/.test(name) || functionsWithShortMessage.has(name))
    return fail('no such overload');
  if (name === 'size' || name === 'sort') return fail(`no such overload: ${name}`);
  const types = values.map((value) => typeOfValue(value).name).join(', ');
  return fail(`no such overload: ${name}(${types})`);
}
function accepts(type, value) {
  if (type.kind === 'dyn' || type.kind === 'parameter') return true;
  const own = typeOfValue(value);
  return own.kind === type.kind && own.name === type.name;
}
function planPush(planner, { name, args: [list, more] }) {
  if (name !== '_+_' || list === void 0 || more?.kind !== 'list') return void 0;
  const slot = planner.growingSlot(list);
  const [item] = more.elements;
  if (slot === void 0 || item === void 0 || more.elements.length > 1) return void 0;
  const grown = planner.plan(list);
  const value = planner.plan(item.value);
  return (run) => {
    const items = grown(run);
    items.push(value(run));
    charge(run, listCost + 1);
    return items;
  };
}

// packages/cel/src/evaluation/fold-planner.ts
function planFold(planner, expression) {
  const range = planner.plan(expression.range);
  const initial = planner.plan(expression.initial);
  return planner.withVariable(
    expression.accumulator,
    (accumulator2) => {
      const result = planner.plan(expression.result);
      if (isBinding(expression)) return planBinding(initial, accumulator2, result);
      return planLoop(planner, expression, { range, initial, accumulator: accumulator2, result });
    },
    isEmptyList(expression.initial),
  );
}
function planBinding(value, slot, result) {
  return (run) => {
    run.slots[slot] = value(run);
    return result(run);
  };
}
function planLoop(planner, { variable, secondVariable, condition, step }, known) {
  return planner.withVariable(variable, (first) => {
    const loop = (second3) => {
      const parts2 = { condition: planner.plan(condition), step: planner.plan(step) };
      const fold = { ...known, ...parts2, variable: first, secondVariable: second3 };
      return (run) => runFold(fold, run);
    };
    return secondVariable === void 0 ? loop() : planner.withVariable(secondVariable, loop);
  });
}
function runFold(fold, run) {
  const { slots } = run;
  const pairs = pairsOf(fold.range(run), fold.secondVariable !== void 0);
  slots[fold.accumulator] = fold.initial(run);
  for (const [key, value] of pairs) {
    slots[fold.variable] = key;
    if (fold.secondVariable !== void 0) slots[fold.secondVariable] = value;
    if (fold.condition(run) !== true) break;
    slots[fold.accumulator] = attempt(fold.step, run);
  }
  return fold.result(run);
}
function goNameOf(value) {
  const name = typeOfValue(value).name.replace(/^.*\./, '');
  return `types.${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
function pairsOf(range, two) {
  if (isList(range)) {
    return itemsOf(range).map((item, index) => (two ? [BigInt(index), item] : [item, null]));
  }
  if (!(range instanceof MapValue)) return fail(`got '${goNameOf(range)}', expected iterable type`);
  return range.keys().map((key) => [key, two ? (range.get(key) ?? null) : null]);
}

// packages/cel/src/evaluation/logic-planner.ts
function planLogic(planner, call) {
  const { name, target } = call;
  const args = () => [...(target ? [target] : []), ...call.args].map((each) => planner.plan(each));
  switch (name) {
    case '_&&_':
      return connective(args(), false);
    case '_||_':
      return connective(args(), true);
    case '_?_:_':
      return conditional(args());
    case '@not_strictly_false':
      return notStrictlyFalse(args());
    case 'or':
      return target && alternative(args(), (value) => value);
    case 'orValue':
      return target && alternative(args(), ({ value }) => value);
    default:
      return void 0;
  }
}
function connective([left = never, right = never], decisive) {
  return (run) => {
    const one2 = attempt(left, run);
    if (one2 === decisive) return decisive;
    const other = attempt(right, run);
    if (other === decisive) return decisive;
    settled(one2);
    settled(other);
    return !decisive;
  };
}
function settled(operand) {
  if (operand instanceof EvaluationError) throw operand;
  if (typeof operand !== 'boolean') fail('no such overload');
}
function conditional([condition = never, yes = never, no = never]) {
  return (run) => {
    const holds = condition(run);
    if (typeof holds !== 'boolean') return fail('no such overload');
    return holds ? yes(run) : no(run);
  };
}
function notStrictlyFalse([operand = never]) {
  return (run) => {
    charge(run, 1);
    return attempt(operand, run) !== false;
  };
}
function alternative([first = never, second3 = never], take) {
  return (run) => {
    const optional = first(run);
    if (!(optional instanceof Optional)) return optional;
    return optional.hasValue ? take(optional) : second3(run);
  };
}
function never() {
  throw new Error('an operator lacks an operand that its checker demands');
}

// packages/cel/src/evaluation/program-planner.ts
var ProgramPlanner = class {
  checked;
  slots;
  #visible;
  constructor(checked, variables) {
    this.checked = checked;
    this.#visible = variables.map((name, slot) => ({ name, slot, growing: false }));
    this.slots = variables.length;
  }
  plan(expression) {
    switch (expression.kind) {
      case 'literal': {
        const { value } = expression;
        return () => value;
      }
      case 'identifier':
        return this.#identifier(expression);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'comprehension':
        return planFold(this, expression);
      case 'message':
        return () => fail('no such overload');
    }
  }
  withVariable(name, plan, growing = false) {
    const before = this.#visible;
    const slot = this.slots;
    this.slots += 1;
    this.#visible = [...before, { name, slot, growing }];
    const planned = plan(slot);
    this.#visible = before;
    return planned;
  }
  growingSlot(expression) {
    if (expression.kind !== 'identifier') return void 0;
    const visible = this.#visible.findLast(({ name }) => name === expression.name);
    return visible?.growing === true ? visible.slot : void 0;
  }
  #identifier({ name }) {
    const visible = this.#visible.findLast((each) => each.name === name);
    if (visible === void 0) return this.#type(name);
    const { slot } = visible;
    return (run) => {
      charge(run, 1);
      return valueOfSlot(run.slots[slot]);
    };
  }
  #type(name) {
    const value = new TypeValue({ kind: 'type', name, parameters: [] });
    return () => value;
  }
  #select(expression) {
    if (this.checked.isQualified(expression)) return this.#type(qualifiedName(expression) ?? '');
    const operand = this.plan(expression.operand);
    const { field, testOnly } = expression;
    if (testOnly) return (run) => hasMember(operand(run), field);
    return (run) => {
      const container = operand(run);
      charge(run, 1);
      if (container instanceof Optional) return member(container, field);
      return valueAt(container, field);
    };
  }
  #call(call) {
    return planLogic(this, call) ?? planCall(this, call);
  }
  #list({ elements }) {
    const steps = elements.map(({ value, optional }) => ({ step: this.plan(value), optional }));
    if (steps.some(({ optional }) => optional)) {
      return (run) => {
        charge(run, listCost);
        return steps.flatMap(({ step, optional }) => (optional ? present(step(run)) : [step(run)]));
      };
    }
    return (run) => {
      charge(run, listCost);
      return steps.map(({ step }) => step(run));
    };
  }
  #map({ entries }) {
    const steps = entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    return (run) => {
      charge(run, mapCost);
      const map = new MadeMap();
      for (const { key, value, optional } of steps) {
        const at = key(run);
        for (const each of optional ? present(value(run)) : [value(run)]) map.set(at, each);
      }
      return map;
    };
  }
  isDynamic(expression) {
    const type = this.checked.typeOf(expression);
    return (
      type.kind === 'dyn' ||
      type.parameters.some((_, index) => parameterOf(type, index).kind === 'dyn')
    );
  }
};
function valueOfSlot(value) {
  if (value instanceof EvaluationError) throw value;
  return value === void 0 ? null : value;
}
function hasMember(container, field) {
  const value = container instanceof Optional && container.hasValue ? container.value : container;
  if (value instanceof Optional) return false;
  return value instanceof MapValue && value.get(field) !== void 0;
}
function valueAt(container, field) {
  const value = container instanceof MapValue ? container.get(field) : void 0;
  return value === void 0 ? fail(`no such key: ${field}`) : value;
}
function present(value) {
  if (!(value instanceof Optional)) return [value];
  return value.hasValue ? [value.value] : [];
}

// packages/cel/src/evaluation/program.ts
var Program = class {
  #step;
  #slots;
  /** `variables`: the names of the values that `evaluate` gets, in their order. */
  constructor(checked, variables) {
    const planner = new ProgramPlanner(checked, variables);
    this.#step = planner.plan(checked.expression);
    this.#slots = planner.slots;
  }
  /** Evaluates the expression. Throws `EvaluationError`, or `CostLimitError` if the cost exceeds the limit. */
  evaluate(values, limit = COST_LIMIT) {
    const slots = [...values];
    while (slots.length < this.#slots) slots.push(null);
    const run = { slots, cost: 0, costLimit: limit };
    const value = this.#step(run);
    return { value, cost: run.cost };
  }
};

// packages/cel/src/checks/iteration-types.ts
function iterationTypes(substitution, type, two) {
  switch (type.kind) {
    case 'list':
      return two ? [intType, parameterOf(type)] : [parameterOf(type), dynType];
    case 'map':
      return [parameterOf(type), parameterOf(type, 1)];
    case 'parameter':
      substitution.assignable([dynType], [type]);
      return [dynType, dynType];
    case 'dyn':
    case 'error':
      return [dynType, dynType];
    default:
      return void 0;
  }
}

// packages/cel/src/checks/match-overload.ts
function matchOverload(substitution, { parameters, result }, args) {
  const own = /* @__PURE__ */ new Map();
  const fresh = (type) => {
    if (type.kind !== 'parameter') {
      return type.parameters.length === 0
        ? type
        : { ...type, parameters: type.parameters.map(fresh) };
    }
    const known = own.get(type.name) ?? substitution.fresh();
    own.set(type.name, known);
    return known;
  };
  if (!substitution.assignable(args, parameters.map(fresh))) return void 0;
  return substitution.apply(fresh(result));
}

// packages/cel/src/checks/substitution.ts
var Substitution = class {
  #bound = /* @__PURE__ */ new Map();
  /** The bindings that the current `assignable` call replaced, to undo them if it fails. */
  #replaced = [];
  #count = 0;
  /** Returns a new type parameter without a binding. */
  fresh() {
    this.#count += 1;
    return typeParameter(`_var${this.#count}`);
  }
  /** True if each type can be assigned to the expected one. Bindings are kept only then. */
  assignable(from, to) {
    this.#replaced = [];
    if (this.#areAssignable(from, to)) return true;
    for (const [name, before] of this.#replaced.toReversed()) {
      if (before === void 0) this.#bound.delete(name);
      else this.#bound.set(name, before);
    }
    return false;
  }
  /** Returns the type with all bindings applied. `open`: keep unbound parameters; otherwise they become dyn. */
  apply(type, open = true) {
    const bound = type.kind === 'parameter' ? this.#bound.get(type.name) : void 0;
    if (bound !== void 0) return this.apply(bound, open);
    if (type.kind === 'parameter') return open ? type : dynType;
    if (type.parameters.length === 0) return type;
    return { ...type, parameters: type.parameters.map((each) => this.apply(each, open)) };
  }
  #areAssignable(from, to) {
    return (
      from.length === to.length &&
      from.every((each, index) => this.#isAssignable(each, to[index] ?? dynType))
    );
  }
  /** The rules of cel-go's `internalIsAssignable`, in the same order. */
  #isAssignable(from, to) {
    if (to.kind === 'parameter') {
      const known = this.#bound.has(to.name);
      if (this.#bindParameter(from, to)) return true;
      if (known) return false;
    }
    if (from.kind === 'parameter') return this.#bindParameter(to, from);
    if (isAnything(from) || isAnything(to)) return true;
    if (from.kind === 'null') return isNullable(to);
    if (to.kind === 'null') return isNullable(from);
    switch (from.kind) {
      case 'type':
        return to.kind === 'type';
      case 'list':
      case 'map':
      case 'opaque':
        return (
          from.kind === to.kind &&
          from.name === to.name &&
          this.#areAssignable(from.parameters, to.parameters)
        );
      default:
        return sameType(from, to);
    }
  }
  /** Binds a parameter to the type, or to the more general one of the type and the one that it is bound to. */
  #bindParameter(type, parameter) {
    if (sameType(type, parameter)) return true;
    const known = this.#bound.get(parameter.name);
    if (known === void 0) return this.#bindOnce(parameter, type);
    if (sameType(type, known)) return true;
    if (!this.#isAssignable(type, known)) return false;
    this.#bindOnce(parameter, mostGeneral(type, known));
    return true;
  }
  /** Binds a parameter, except to a type that contains the parameter. */
  #bindOnce(parameter, type) {
    if (this.#refersTo(parameter, type)) return false;
    this.#replaced.push([parameter.name, this.#bound.get(parameter.name)]);
    this.#bound.set(parameter.name, type);
    return true;
  }
  #refersTo(parameter, within) {
    if (sameType(parameter, within)) return true;
    const bound = within.kind === 'parameter' ? this.#bound.get(within.name) : void 0;
    if (bound !== void 0) return this.#refersTo(parameter, bound);
    return within.parameters.some((each) => this.#refersTo(parameter, each));
  }
};
function mostGeneral(one2, other) {
  return isNoMoreSpecific(one2, other) ? one2 : other;
}
function isNoMoreSpecific(one2, other) {
  if (one2.kind === 'dyn' || one2.kind === 'parameter') return true;
  if (other.kind === 'dyn' || other.kind === 'parameter' || one2.kind !== other.kind) return false;
  if (one2.kind === 'type') return true;
  return (
    one2.name === other.name &&
    one2.parameters.length === other.parameters.length &&
    one2.parameters.every((each, index) =>
      isNoMoreSpecific(each, other.parameters[index] ?? dynType),
    )
  );
}
function isAnything({ kind }) {
  return kind === 'dyn' || kind === 'error';
}
function isNullable({ kind }) {
  return kind === 'null' || kind === 'object' || kind === 'opaque' || kind === 'time';
}

// packages/cel/src/types/type-names.ts
var typeNames = new Map(
  [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    listType(dynType),
    mapType(dynType, dynType),
    stringType,
    timestampType,
    typeOfType(dynType),
    uintType,
    optionalType(dynType),
    ipType,
    cidrType,
  ]
    .map((type) => [type.name, typeOfType(type)])
    .concat([['null_type', typeOfType(nullType)]]),
);

// packages/cel/src/checks/type-checker.ts
function checkExpression(expression, environment) {
  return new TypeChecker(environment).run(expression);
}
var TypeChecker = class {
  #environment;
  #substitution = new Substitution();
  #types = /* @__PURE__ */ new Map();
  #overloads = /* @__PURE__ */ new Map();
  #qualified = /* @__PURE__ */ new Set();
  #issues = [];
  #used = /* @__PURE__ */ new Set();
  #scopes = [];
  constructor(environment) {
    this.#environment = environment;
  }
  run(expression) {
    this.#check(expression);
    const types = new Map(
      [...this.#types].map(([each, type]) => [each, this.#substitution.apply(type, false)]),
    );
    return {
      expression,
      issues: this.#issues,
      variables: this.#used,
      typeOf: (each) => types.get(each) ?? dynType,
      overloadsOf: (call) => this.#overloads.get(call) ?? [],
      isQualified: (each) => this.#qualified.has(each),
    };
  }
  #check(expression) {
    const type = this.#typeOf(expression);
    this.#types.set(expression, type);
    return type;
  }
  #typeOf(expression) {
    switch (expression.kind) {
      case 'literal':
        return typeOfValue(expression.value);
      case 'identifier':
        return this.#named(expression.name) ?? this.#undeclared(expression, expression.name);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'message':
        return this.#undeclared(expression, expression.type);
      case 'comprehension':
        return this.#comprehension(expression);
    }
  }
  #named(name) {
    const local = this.#scopes.findLast(([each]) => each === name);
    if (local !== void 0) return local[1];
    const declared = this.#environment.variables.get(name);
    if (declared !== void 0) this.#used.add(name);
    return declared ?? typeNames.get(name);
  }
  #undeclared({ offset }, name) {
    return this.#refuse(offset, `undeclared reference to '${name}' (in container '')`);
  }
  #refuse(offset, message) {
    this.#issues.push({ offset, message });
    return errorType;
  }
  #select(expression) {
    const name = qualifiedName(expression);
    const type = name === void 0 ? void 0 : typeNames.get(name);
    if (type !== void 0) {
      this.#qualified.add(expression);
      return type;
    }
    const field = this.#field(expression, expression.operand, expression.field);
    return expression.testOnly ? boolType : this.#substitution.apply(field);
  }
  #field(place, operand, field, optional = false) {
    const operandType = this.#substitution.apply(this.#check(operand));
    const type = this.#fieldOf(unwrapped(operandType), place, field);
    return optional || isOptional(operandType) ? optionalType(type) : type;
  }
  #fieldOf(type, { offset }, field) {
    switch (type.kind) {
      case 'map':
        return parameterOf(type, 1);
      case 'object':
        return type.fields?.get(field) ?? this.#refuse(offset, `undefined field '${field}'`);
      case 'parameter':
        this.#substitution.assignable([dynType], [type]);
        return dynType;
      case 'dyn':
      case 'error':
        return dynType;
      default:
        this.#refuse(offset, `type '${showType(type)}' does not support field selection`);
        return dynType;
    }
  }
  #call(call) {
    const { name, target, args } = call;
    if (name === '_?._') return this.#optionalSelect(call);
    for (const each of args) this.#check(each);
    if (target === void 0) return this.#resolve(call, name);
    const prefix = qualifiedName(target);
    const qualified = `${prefix}.${name}`;
    if (prefix !== void 0 && this.#environment.functions.overloadsOf(qualified) !== void 0) {
      this.#qualified.add(call);
      return this.#resolve(call, qualified);
    }
    this.#check(target);
    return this.#resolve(call, name, target);
  }
  #optionalSelect(call) {
    const [operand, field] = call.args;
    if (operand === void 0 || field?.kind !== 'literal') return errorType;
    this.#overloads.set(call, this.#environment.functions.overloadsOf(call.name) ?? []);
    return this.#substitution.apply(this.#field(call, operand, showValue(field.value), true));
  }
  #resolve(call, name, target) {
    const overloads = this.#environment.functions.overloadsOf(name);
    if (overloads === void 0) return this.#undeclared(call, name);
    if (name === '_&&_' || name === '_||_') return this.#logic(call, overloads);
    const args = [...(target ? [target] : []), ...call.args].map((each) => this.#known(each));
    const results = [];
    const matching = overloads.filter((each) => {
      if (each.member !== (target !== void 0)) return false;
      const result = matchOverload(this.#substitution, each, args);
      if (result !== void 0) results.push(result);
      return result !== void 0;
    });
    this.#overloads.set(call, matching);
    const [first] = results;
    if (first === void 0) return this.#noOverload(call, name, args, target !== void 0);
    return results.every((each) => sameType(each, first)) ? first : dynType;
  }
  #known(expression) {
    return this.#types.get(expression) ?? errorType;
  }
  #logic(call, overloads) {
    this.#overloads.set(call, overloads);
    const wrong = call.args.filter((each) => !this.#goesTo(each, boolType));
    for (const each of wrong) this.#mismatch(each, boolType, this.#known(each));
    return wrong.length === 0 ? boolType : errorType;
  }
  #goesTo(expression, type) {
    return this.#substitution.assignable([this.#known(expression)], [type]);
  }
  #mismatch({ offset }, expected, found2) {
    const shown = [expected, found2].map((each) => showType(this.#substitution.apply(each, false)));
    return this.#refuse(offset, `expected type '${shown[0]}' but found '${shown[1]}'`);
  }
  #noOverload(call, name, args, member2) {
    const shown = args.map((each) => showType(this.#substitution.apply(each, false)));
    const applied = member2
      ? `${shown[0]}.(${shown.slice(1).join(', ')})`
      : `(${shown.join(', ')})`;
    const message = `found no matching overload for '${name}' applied to '${applied}'`;
    return this.#refuse(call.offset, message);
  }
  #list({ elements }) {
    let joined2;
    for (const element of elements) {
      joined2 = this.#join(joined2, this.#elementType(element));
    }
    return listType(joined2 ?? this.#substitution.fresh());
  }
  #map({ entries }) {
    let keys;
    let values;
    for (const entry of entries) {
      keys = this.#join(keys, this.#check(entry.key));
      values = this.#join(values, this.#elementType(entry));
    }
    return mapType(keys ?? this.#substitution.fresh(), values ?? this.#substitution.fresh());
  }
  #elementType({ value, optional }) {
    const type = this.#check(value);
    if (!optional || type.kind === 'dyn') return type;
    if (!isOptional(type)) this.#mismatch(value, optionalType(type), type);
    return unwrapped(type);
  }
  /** Returns the common type of two elements of a literal; `dyn` if they have none. */
  #join(before, type) {
    if (before === void 0) return type;
    if (this.#substitution.assignable([before], [type])) return mostGeneral(before, type);
    return dynType;
  }
  #comprehension(expression) {
    const range = this.#check(expression.range);
    const initial = this.#check(expression.initial);
    const outer = this.#scopes;
    const accumulator2 = [expression.accumulator, initial];
    this.#scopes = [...outer, accumulator2, ...this.#iteration(expression, range)];
    this.#check(expression.condition);
    this.#check(expression.step);
    this.#expect(expression.condition, boolType);
    this.#expect(expression.step, initial);
    this.#scopes = [...outer, accumulator2];
    const result = this.#check(expression.result);
    this.#scopes = outer;
    return this.#substitution.apply(result);
  }
  #expect(expression, type) {
    if (!this.#goesTo(expression, type)) this.#mismatch(expression, type, this.#known(expression));
  }
  #iteration({ range, variable, secondVariable }, declared) {
    const type = this.#substitution.apply(declared);
    const types = iterationTypes(this.#substitution, type, secondVariable !== void 0);
    const [key, value] = types ?? [this.#noRange(range, type), errorType];
    return secondVariable === void 0
      ? [[variable, key]]
      : [
          [variable, key],
          [secondVariable, value],
        ];
  }
  #noRange({ offset }, type) {
    const message = `expression of type '${showType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    return this.#refuse(offset, message);
  }
};

// packages/cel/src/syntax/expression-issue.ts
var nowhere = -1;
var ExpressionSyntaxError = class extends Error {
  name = 'ExpressionSyntaxError';
  issue;
  constructor(offset, message) {
    super(message);
    this.issue = { offset, message };
  }
};
function showIssues(source, issues) {
  return issues
    .toSorted((one2, other) => one2.offset - other.offset)
    .map((issue) => showIssue(source, issue))
    .join('\n');
}
function showIssue(source, { offset, message }) {
  if (offset === nowhere) return `ERROR: <input>:-1:0: ${message}`;
  const before = source.slice(0, offset).split('\n');
  const column = Array.from(before.at(-1) ?? '').length;
  const line = (source.split('\n')[before.length - 1] ?? '').replaceAll('	', ' ');
  const pointer = `${'.'.repeat(column)}^`;
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}
 | ${line}
 | ${pointer}`;
}

// packages/cel/src/syntax/balanced-logic.ts
function balancedLogic(name, terms, offsets, made) {
  const within = (first, end) => {
    const middle = (first + end) >> 1;
    const only = terms[first];
    const offset = offsets[middle - 1];
    if (end - first === 1 || offset === void 0) return only;
    const args = [within(first, middle), within(middle, end)];
    return made({ kind: 'call', name, target: void 0, args, offset });
  };
  return within(0, terms.length);
}

// packages/cel/src/syntax/expression-depth.ts
var MAX_EXPRESSION_DEPTH = 250;
var ExpressionDepth = class {
  #depths = /* @__PURE__ */ new Map();
  #nesting = 0;
  /** Runs `parse` one level deeper: for brackets, arguments and the branches of a condition. */
  nested(parse4) {
    this.#nesting += 1;
    if (this.#nesting > MAX_EXPRESSION_DEPTH) {
      throw new ExpressionSyntaxError(
        nowhere,
        `expression recursion limit exceeded: ${MAX_EXPRESSION_DEPTH}`,
      );
    }
    const parsed = parse4();
    this.#nesting -= 1;
    return parsed;
  }
  /** Records the depth of an expression from its parts. `added`: the depth of the expression itself. */
  around(expression, parts2, added = 1) {
    const depth = Math.max(0, ...parts2.map((part) => this.#depths.get(part) ?? 0)) + added;
    if (depth > MAX_EXPRESSION_DEPTH) {
      throw new ExpressionSyntaxError(nowhere, 'max recursion depth exceeded');
    }
    this.#depths.set(expression, depth);
    return expression;
  }
};

// packages/cel/src/syntax/text-literal.ts
var simple2 = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '	',
  v: '\v',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '?': '?',
  '`': '`',
};
var escapes2 =
  /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gs;
function unescapeText(body, offset) {
  return body.replaceAll(escapes2, (whole, hex, four, eight, octal, single) => {
    if (octal !== void 0) return String.fromCodePoint(Number.parseInt(octal, 8));
    const code = hex ?? four ?? eight;
    if (code !== void 0) return codePoint(Number.parseInt(code, 16), whole, offset);
    return simple2[single] ?? refuse(whole, offset);
  });
}
function unescapeBytes(body, offset) {
  const parts2 = [];
  let rest = 0;
  for (const match of body.matchAll(escapes2)) {
    const [whole, hex, four, eight, octal, single = ''] = match;
    parts2.push(Buffer.from(body.slice(rest, match.index)));
    rest = match.index + whole.length;
    if (hex !== void 0 || octal !== void 0) {
      parts2.push(Buffer.from([hex ? Number.parseInt(hex, 16) : Number.parseInt(octal ?? '', 8)]));
    } else {
      const code = four ?? eight;
      const text = code ? codePoint(Number.parseInt(code, 16), whole, offset) : simple2[single];
      parts2.push(Buffer.from(text ?? refuse(whole, offset)));
    }
  }
  return Buffer.concat([...parts2, Buffer.from(body.slice(rest))]);
}
function codePoint(code, written, offset) {
  const surrogate2 = code >= 55296 && code <= 57343;
  if (code > 1114111 || surrogate2) return refuse(written, offset);
  return String.fromCodePoint(code);
}
function refuse(escape, offset) {
  throw new ExpressionSyntaxError(offset, `Syntax error: token recognition error at: '${escape}'`);
}

// packages/cel/src/syntax/literal-value.ts
var constants = /* @__PURE__ */ new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
function literalValue({ kind, text, offset }, sign) {
  switch (kind) {
    case 'name':
      return constants.get(text);
    case 'int':
      return integer2(BigInt(text) * BigInt(sign), offset);
    case 'uint':
      return new UnsignedInt(BigInt(text.slice(0, -1)));
    case 'double':
      return Number(text) * sign;
    case 'text':
      return textOf2(text, offset);
    case 'bytes':
      return bytesOf(text.slice(1), offset);
    default:
      return void 0;
  }
}
function integer2(value, offset) {
  if (BigInt.asIntN(64, value) === value) return value;
  throw new ExpressionSyntaxError(offset, 'invalid int literal');
}
function textOf2(written, offset) {
  const raw = /^r/i.test(written);
  const body = withoutQuotes(raw ? written.slice(1) : written);
  return raw ? body : unescapeText(body, offset);
}
function bytesOf(written, offset) {
  const raw = /^r/i.test(written);
  const body = withoutQuotes(raw ? written.slice(1) : written);
  return raw ? Buffer.from(body) : unescapeBytes(body, offset);
}
function withoutQuotes(written) {
  const quotes = /^("""|''')/.test(written) ? 3 : 1;
  return written.slice(quotes, -quotes);
}

// packages/cel/src/syntax/expression-factory.ts
var ExpressionFactory = class {
  offset;
  constructor(offset) {
    this.offset = offset;
  }
  literal(value) {
    return { kind: 'literal', value, offset: this.offset };
  }
  name(name) {
    return { kind: 'identifier', name, offset: this.offset };
  }
  list(...elements) {
    const { offset } = this;
    return {
      kind: 'list',
      elements: elements.map((value) => ({ value, optional: false })),
      offset,
    };
  }
  call(name, ...args) {
    return { kind: 'call', name, target: void 0, args, offset: this.offset };
  }
  method(name, target, ...args) {
    return { kind: 'call', name, target, args, offset: this.offset };
  }
  fold(parts2) {
    return { kind: 'comprehension', ...parts2, offset: this.offset };
  }
  /** Gives a value a name in an expression: `name` has the value `value` in `body`. */
  bind(name, value, body) {
    return this.fold({
      variable: '#unused',
      secondVariable: void 0,
      range: this.list(),
      accumulator: name,
      initial: value,
      condition: this.literal(false),
      step: this.name(name),
      result: body,
    });
  }
};

// packages/cel/src/syntax/macros.ts
var accumulator = '@result';
var methods = {
  'all/2': over(1, all),
  'all/3': over(2, all),
  'exists/2': over(1, exists),
  'exists/3': over(2, exists),
  'exists_one/2': over(1, existsOne),
  'exists_one/3': over(2, existsOne),
  'existsOne/3': over(2, existsOne),
  'filter/2': over(1, filter),
  'map/2': over(1, collect(listItem)),
  'map/3': over(1, collect(listItem)),
  'transformList/3': over(2, collect(listItem)),
  'transformList/4': over(2, collect(listItem)),
  'transformMap/3': over(2, collect(mapEntry)),
  'transformMap/4': over(2, collect(mapEntry)),
  'transformMapEntry/3': over(2, collect(mapEntries)),
  'transformMapEntry/4': over(2, collect(mapEntries)),
  'optMap/2': optionalMap((make, body) => make.call('optional.of', body)),
  'optFlatMap/2': optionalMap((_make, body) => body),
  'sortBy/2': sortBy,
};
function expandMacro(call) {
  const { name, target, args, offset } = call;
  if (target === void 0) return name === 'has' && args.length === 1 ? presence(call) : call;
  const macro = methods[`${name}/${args.length}`];
  return macro === void 0
    ? call
    : macro({ make: new ExpressionFactory(offset), name, target, args });
}
function presence({ args: [argument], offset }) {
  if (argument?.kind === 'select') return { ...argument, testOnly: true, offset };
  throw new ExpressionSyntaxError(argument?.offset ?? offset, 'invalid argument to has() macro');
}
var NAME_EXPECTED = 'argument must be a simple name';
var collectingMacros = /* @__PURE__ */ new Set(['map', 'filter']);
function over(count, fold) {
  return ({ make, name, target, args }) => {
    const words2 =
      count === 1 && collectingMacros.has(name) ? 'argument is not an identifier' : NAME_EXPECTED;
    const variables = args.slice(0, count).map((each) => simpleName(each, words2));
    const [variable = '', secondVariable] = variables;
    if (secondVariable !== void 0 && variable === secondVariable) {
      const place = args[1]?.offset ?? make.offset;
      throw new ExpressionSyntaxError(place, `duplicate variable name: ${variable}`);
    }
    const parts2 = fold({ make, variables, args: args.slice(count) });
    return make.fold({ variable, secondVariable, range: target, accumulator, ...parts2 });
  };
}
function simpleName(expression, words2) {
  if (expression?.kind === 'identifier') return expression.name;
  throw new ExpressionSyntaxError(expression?.offset ?? 0, words2);
}
function all({ make, args: [predicate = make.literal(true)] }) {
  const accu = make.name(accumulator);
  return {
    initial: make.literal(true),
    condition: make.call('@not_strictly_false', accu),
    step: make.call('_&&_', accu, predicate),
    result: accu,
  };
}
function exists({ make, args: [predicate = make.literal(true)] }) {
  const accu = make.name(accumulator);
  return {
    initial: make.literal(false),
    condition: make.call('@not_strictly_false', make.call('!_', accu)),
    step: make.call('_||_', accu, predicate),
    result: accu,
  };
}
function existsOne({ make, args: [predicate = make.literal(true)] }) {
  const accu = make.name(accumulator);
  const more = make.call('_+_', accu, make.literal(1n));
  return {
    initial: make.literal(0n),
    condition: make.literal(true),
    step: make.call('_?_:_', predicate, more, accu),
    result: make.call('_==_', accu, make.literal(1n)),
  };
}
function filter({ make, variables: [variable = ''], args }) {
  const [predicate = make.literal(true)] = args;
  return collected(make, make.list(), listItem(make, [], make.name(variable)), predicate);
}
function collect(add) {
  return ({ make, variables, args }) => {
    const [first = make.literal(null), second3] = args;
    const empty = add === listItem ? make.list() : emptyMap(make);
    if (second3 === void 0) return collected(make, empty, add(make, variables, first));
    return collected(make, empty, add(make, variables, second3), first);
  };
}
function collected(make, initial, more, predicate) {
  const accu = make.name(accumulator);
  const step = predicate === void 0 ? more : make.call('_?_:_', predicate, more, accu);
  return { initial, condition: make.literal(true), step, result: accu };
}
function listItem(make, _, item) {
  return make.call('_+_', make.name(accumulator), make.list(item));
}
function mapEntry(make, [key = ''], item) {
  return make.call('cel.@mapInsert', make.name(accumulator), make.name(key), item);
}
function mapEntries(make, _, item) {
  return make.call('cel.@mapInsert', make.name(accumulator), item);
}
function emptyMap({ offset }) {
  return { kind: 'map', entries: [], offset };
}
function optionalMap(wrap) {
  return ({ make, target, args: [variable, body = make.literal(null)] }) => {
    const name = simpleName(variable, 'optMap() variable name must be a simple identifier');
    const bound = make.bind(name, make.method('value', target), body);
    return make.call(
      '_?_:_',
      make.method('hasValue', target),
      wrap(make, bound),
      make.call('optional.none'),
    );
  };
}
var sortInput = '@__sortBy_input__';
function sortBy({ make, target, args }) {
  const input = make.name(sortInput);
  const keys = over(1, collect(listItem))({ make, name: 'map', target: input, args });
  return make.bind(sortInput, target, make.method('@sortByAssociatedKeys', input, keys));
}

// packages/cel/src/syntax/token.ts
var patterns = [
  ['space', /(?:[ \t\r\n\f]|\/\/[^\n]*)+/y],
  ['bytes', /[bB](?:[rR]|(?=["']))(?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/y],
  ['text', /[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/y],
  ['text', /"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''/y],
  ['text', /"(?:\\[^]|[^\\"\n\r])*"|'(?:\\[^]|[^\\'\n\r])*'/y],
  ['double', /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ['uint', /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ['int', /0x[0-9a-fA-F]+|\d+/y],
  ['name', /[A-Za-z_][A-Za-z_0-9]*/y],
  ['quotedName', /`[A-Za-z0-9_.\-/ ]+`/y],
  ['symbol', /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
];
var escapedBytes =
  /[bB](?:"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^]|[^\\"\n\r])*"|'(?:\\[^]|[^\\'\n\r])*')/y;
var unknown = /["'][^\n\r]*|[=&|][^]?|[^]/y;
function tokenize(source) {
  const tokens = [];
  const issues = [];
  let offset = 0;
  while (offset < source.length) {
    const [kind, text] = next(source, offset);
    if (kind === 'unknown') {
      issues.push({ offset, message: `Syntax error: token recognition error at: '${text}'` });
    } else if (kind !== 'space') tokens.push({ kind, text, offset });
    offset += text.length;
  }
  return { tokens: [...tokens, { kind: 'end', text: '<EOF>', offset: source.length }], issues };
}
function next(source, offset) {
  const bytes = matchAt(escapedBytes, source, offset);
  if (bytes !== void 0) return ['bytes', bytes];
  for (const [kind, pattern3] of patterns) {
    const text = matchAt(pattern3, source, offset);
    if (text !== void 0) return [kind, text];
  }
  return ['unknown', matchAt(unknown, source, offset) ?? ''];
}
function matchAt(pattern3, source, offset) {
  pattern3.lastIndex = offset;
  return pattern3.exec(source)?.[0];
}

// packages/cel/src/syntax/token-reader.ts
var beginnings =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
var TokenReader = class {
  #tokens;
  #at = 0;
  constructor(tokens) {
    this.#tokens = tokens;
  }
  get token() {
    return this.#tokens[this.#at];
  }
  get following() {
    return this.#tokens[this.#at + 1];
  }
  /** The current position. Setting it back re-reads the tokens after it. */
  get position() {
    return this.#at;
  }
  returnTo(position) {
    this.#at = position;
  }
  is(symbol) {
    const { kind, text } = this.token;
    return text === symbol && (kind === 'symbol' || kind === 'name');
  }
  take() {
    const token = this.token;
    if (token.kind !== 'end') this.#at += 1;
    return token;
  }
  accept(symbol) {
    if (!this.is(symbol)) return false;
    this.#at += 1;
    return true;
  }
  expect(symbol) {
    if (this.accept(symbol)) return;
    const { kind, offset } = this.token;
    if (kind === 'end' && symbol !== ':') {
      throw new ExpressionSyntaxError(offset, `Syntax error: missing '${symbol}' at '<EOF>'`);
    }
    this.unexpected(`'${symbol}'`, this.following?.text === symbol);
  }
  /** Reports an unexpected token. `extraneous`: the source would be valid without this token. */
  unexpected(expected, extraneous = false) {
    const { text, offset } = this.token;
    const what = extraneous ? 'extraneous' : 'mismatched';
    const message = `Syntax error: ${what} input '${text}' expecting ${expected}`;
    throw new ExpressionSyntaxError(offset, message);
  }
  /** Reports a token that cannot start an expression. */
  noBeginning() {
    this.unexpected(beginnings, this.following !== void 0 && begins(this.following));
  }
};
function begins({ kind, text }) {
  return kind === 'symbol' ? '[{(.-!'.includes(text) : kind !== 'end' && text !== 'in';
}

// packages/cel/src/syntax/parse-expression.ts
function parseExpression(source) {
  const size = source.length > MAX_CHARACTERS ? Array.from(source).length : 0;
  if (size > MAX_CHARACTERS) return { expression: void 0, issues: [tooLong(size)] };
  const { tokens, issues } = tokenize(source);
  try {
    const expression = new ExpressionParser(tokens).parse();
    return { expression, issues: hasMoreParts(expression, MAX_PARTS) ? [tooLarge] : issues };
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return { expression: void 0, issues: [...issues, error.issue] };
  }
}
var MAX_CHARACTERS = 1e5;
function tooLong(size) {
  const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_CHARACTERS}`;
  return { offset: nowhere, message };
}
var MAX_PARTS = 2e5;
var tooLarge = {
  offset: nowhere,
  message: `expression has more than ${MAX_PARTS} parts when its macros are expanded`,
};
var reserved = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
var levels = [
  ['||'],
  ['&&'],
  ['<', '<=', '>=', '>', '==', '!=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];
var ExpressionParser = class {
  #tokens;
  #depth = new ExpressionDepth();
  constructor(tokens) {
    this.#tokens = new TokenReader(tokens);
  }
  parse() {
    const expression = this.#expression();
    if (this.#tokens.token.kind !== 'end') {
      this.#tokens.unexpected('<EOF>', this.#tokens.following?.kind === 'end');
    }
    return expression;
  }
  #expression() {
    return this.#depth.nested(() => {
      const condition = this.#binary(0);
      const { offset } = this.#tokens.token;
      if (!this.#tokens.accept('?')) return condition;
      const yes = this.#binary(0);
      this.#tokens.expect(':');
      return this.#called('_?_:_', [condition, yes, this.#expression()], offset);
    });
  }
  #binary(level) {
    const operators2 = levels[level];
    if (operators2 === void 0) return this.#unary();
    if (level < 2) return this.#logic(level);
    let left = this.#binary(level + 1);
    while (operators2.some((operator) => this.#tokens.is(operator))) {
      const { text, offset } = this.#tokens.take();
      const name = text === 'in' ? '@in' : `_${text}_`;
      left = this.#called(name, [left, this.#binary(level + 1)], offset);
    }
    return left;
  }
  /** Parses chains of `&&` and `||` to balanced trees, so that a long chain is not deep. */
  #logic(level) {
    const operator = levels[level]?.[0] ?? '';
    const terms = [this.#binary(level + 1)];
    const offsets = [];
    while (this.#tokens.is(operator)) {
      offsets.push(this.#tokens.take().offset);
      terms.push(this.#binary(level + 1));
    }
    return balancedLogic(`_${operator}_`, terms, offsets, (call) =>
      this.#depth.around(call, call.args, 0),
    );
  }
  #unary() {
    const { text: operator, offset } = this.#tokens.token;
    if (!this.#tokens.is('!') && !this.#tokens.is('-')) return this.#member();
    let count = 0;
    while (this.#tokens.accept(operator)) count += 1;
    const negative = operator === '-' && /^(int|double)$/.test(this.#tokens.token.kind);
    const operand = negative && count === 1 ? this.#number(-1, offset) : this.#member();
    if (count % 2 === 0 || (negative && count === 1)) return operand;
    return this.#called(`${operator}_`, [operand], offset, 0);
  }
  /** Parses a number with its sign; the sign belongs to the literal: `-1.size()`. */
  #number(sign, offset) {
    return this.#members(this.#literal(sign, offset));
  }
  #member() {
    return this.#members(this.#primary());
  }
  #members(primary) {
    let expression = primary;
    for (;;) {
      const { offset } = this.#tokens.token;
      if (this.#tokens.accept('.')) expression = this.#selected(expression, offset);
      else if (this.#tokens.accept('[')) expression = this.#indexed(expression, offset);
      else return expression;
    }
  }
  #selected(operand, offset) {
    const optional = this.#tokens.accept('?');
    const name = this.#tokens.take();
    if (name.kind !== 'name' && name.kind !== 'quotedName') {
      const message = `Syntax error: no viable alternative at input '.${name.text}'`;
      throw new ExpressionSyntaxError(name.offset, message);
    }
    if (name.kind === 'quotedName') {
      throw new ExpressionSyntaxError(name.offset, "unsupported syntax: '`'");
    }
    const field = name.text;
    const place = this.#tokens.token.offset;
    if (!optional && this.#tokens.accept('(')) {
      const args = this.#list(')', () => this.#expression());
      return this.#call({ kind: 'call', name: field, target: operand, args, offset: place });
    }
    if (!optional) {
      const select = { kind: 'select', operand, field, testOnly: false, offset };
      return this.#depth.around(select, [operand]);
    }
    const literal = { kind: 'literal', value: field, offset: name.offset };
    return this.#called('_?._', [operand, literal], offset);
  }
  #indexed(operand, offset) {
    const name = this.#tokens.accept('?') ? '_[?_]' : '_[_]';
    const index = this.#expression();
    this.#tokens.expect(']');
    return this.#called(name, [operand, index], offset);
  }
  #primary() {
    const { offset } = this.#tokens.token;
    if (this.#tokens.accept('(')) {
      const expression = this.#expression();
      this.#tokens.expect(')');
      return expression;
    }
    if (this.#tokens.accept('[')) {
      return this.#literalOf({
        kind: 'list',
        elements: this.#list(']', () => this.#element()),
        offset,
      });
    }
    if (this.#tokens.accept('{')) {
      return this.#literalOf({
        kind: 'map',
        entries: this.#list('}', () => this.#entry()),
        offset,
      });
    }
    const { kind, text } = this.#tokens.token;
    if (kind === 'name' && !constants.has(text)) return this.#name(text);
    if (this.#tokens.is('.')) {
      this.#tokens.take();
      return this.#name(this.#tokens.token.text);
    }
    return this.#literal(1, offset);
  }
  #name(name) {
    const { offset } = this.#tokens.take();
    if (reserved.has(name)) {
      throw new ExpressionSyntaxError(offset, `reserved identifier: ${name}`);
    }
    const place = this.#tokens.token.offset;
    if (this.#tokens.accept('(')) {
      const args = this.#list(')', () => this.#expression());
      return this.#call({ kind: 'call', name, target: void 0, args, offset: place });
    }
    return this.#message(name) ?? { kind: 'identifier', name, offset };
  }
  /**
   * Parses a message literal `a.b.Type{field: value}`. Rules of custom resources cannot create messages, so only
   * the type is kept.
   */
  #message(first) {
    const start = this.#tokens.position;
    let type = first;
    while (this.#tokens.accept('.')) type += `.${this.#tokens.take().text}`;
    const { offset } = this.#tokens.token;
    if (!this.#tokens.accept('{')) {
      this.#tokens.returnTo(start);
      return void 0;
    }
    this.#list('}', () => {
      this.#tokens.accept('?');
      this.#tokens.take();
      this.#tokens.expect(':');
      return this.#expression();
    });
    return { kind: 'message', type, offset };
  }
  #list(end, item) {
    const items = [];
    while (!this.#tokens.accept(end)) {
      items.push(item());
      if (this.#tokens.accept(',')) {
        if (end === ')' && this.#tokens.is(end)) this.#tokens.noBeginning();
        continue;
      }
      if (end === ')' && this.#tokens.token.kind === 'end') this.#tokens.expect(end);
      const after = this.#tokens.following?.text;
      const extraneous = after === end || after === ',';
      if (!this.#tokens.is(end)) this.#tokens.unexpected(`{'${end}', ','}`, extraneous);
    }
    return items;
  }
  #element() {
    return { optional: this.#tokens.accept('?'), value: this.#expression() };
  }
  #entry() {
    const optional = this.#tokens.accept('?');
    const key = this.#expression();
    this.#tokens.expect(':');
    return { optional, key, value: this.#expression() };
  }
  #literal(sign, offset) {
    const token = this.#tokens.token;
    const value = literalValue(token, sign);
    if (value === void 0) this.#tokens.noBeginning();
    this.#tokens.take();
    return { kind: 'literal', value, offset };
  }
  #called(name, args, offset, added = 1) {
    const call = { kind: 'call', name, target: void 0, args, offset };
    return this.#depth.around(call, args, added);
  }
  #call(call) {
    const added = call.target === void 0 ? 0 : 1;
    return this.#depth.around(expandMacro(call), childrenOf(call), added);
  }
  #literalOf(literal) {
    return this.#depth.around(literal, childrenOf(literal), 0);
  }
};

// packages/cel/src/compile/check-source.ts
function checkSource({ functions, patterns: patterns2 }, source, variables) {
  const parsed = parseExpression(source);
  const { expression } = parsed;
  if (expression === void 0 || parsed.issues.length > 0) {
    return showIssues(source, parsed.issues);
  }
  const checked = checkExpression(expression, { functions, variables });
  const issues = checked.issues.length > 0 ? checked.issues : checkLiterals(checked, patterns2);
  return issues.length > 0 ? showIssues(source, issues) : checked;
}

export {
  boolType,
  intType,
  uintType,
  doubleType,
  stringType,
  bytesType,
  nullType,
  dynType,
  timestampType,
  durationType,
  listType,
  mapType,
  optionalType,
  objectType,
  isOptional,
  parameterOf,
  sameType,
  showType,
  EvaluationError,
  CostLimitError,
  fail,
  ObjectValue,
  Duration,
  SchemaList,
  isList,
  itemsOf,
  showValue,
  UnsignedInt,
  MapValue,
  MadeMap,
  Timestamp,
  patternProblem,
  isBinding,
  patternIssue,
  perCharacter,
  perPatternCharacter,
  allocation,
  listCost,
  mapCost,
  Optional,
  checkSubdomain,
  checkWildcardSubdomain,
  checkPortName,
  checkDnsLabel,
  checkDns1035Label,
  checkNameWithoutDots,
  checkStatefulSetName,
  checkCronJobName,
  checkPathSegment,
  checkQualifiedName,
  checkLabelValue,
  checkConfigKey,
  hasFormat,
  isKnownFormat,
  lengthOf,
  COST_LIMIT,
  Program,
  quantitySyntaxMessage,
  canonicalQuantity,
  compareQuantities,
  addQuantities,
  subtractQuantities,
  nanosOfQuantity,
  Quantity,
  makeCelLibrary,
  accumulator,
  checkSource,
};
//# sourceMappingURL=chunk-RSIKH3VJ.js.map
