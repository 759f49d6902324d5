var __knownSymbol = (name, symbol) =>
  (symbol = Symbol[name]) ? symbol : /* @__PURE__ */ Symbol.for('Symbol.' + name);
var __typeError = (msg) => {
  throw TypeError(msg);
};
var __using = (stack, value, async) => {
  if (value != null) {
    if (typeof value !== 'object' && typeof value !== 'function') __typeError('Object expected');
    var dispose, inner;
    if (async) dispose = value[__knownSymbol('asyncDispose')];
    if (dispose === void 0) {
      dispose = value[__knownSymbol('dispose')];
      if (async) inner = dispose;
    }
    if (typeof dispose !== 'function') __typeError('Object not disposable');
    if (inner)
      dispose = function () {
        try {
          inner.call(this);
        } catch (e) {
          return Promise.reject(e);
        }
      };
    stack.push([async, dispose, value]);
  } else if (async) {
    stack.push([async]);
  }
  return value;
};
var __callDispose = (stack, error, hasError) => {
  var E =
    typeof SuppressedError === 'function'
      ? SuppressedError
      : function (e, s, m, _) {
          return (
            (_ = Error(m)), (_.name = 'SuppressedError'), (_.error = e), (_.suppressed = s), _
          );
        };
  var fail = (e) =>
    (error = hasError
      ? new E(e, error, 'An error was suppressed during disposal')
      : ((hasError = true), e));
  var next = (it) => {
    while ((it = stack.pop())) {
      try {
        var result = it[1] && it[1].call(it[2]);
        if (it[0]) return Promise.resolve(result).then(next, (e) => (fail(e), next()));
      } catch (e) {
        fail(e);
      }
    }
    if (hasError) throw error;
  };
  return next();
};

// packages/envtest/src/backends/create-test-environment.ts
import { readFile as readFile3 } from 'node:fs/promises';
import { createApiServer } from '@keelson/apiserver';
import { loadCluster } from '@keelson/client';

// packages/envtest/src/control-plane/certificate-authority.ts
import { generate } from 'selfsigned';
var days = 7;
var CertificateAuthority = class _CertificateAuthority {
  #authority;
  constructor(authority) {
    this.#authority = authority;
  }
  /** Creates a new authority. Only clients and servers of this environment trust it. */
  static async create() {
    const extensions2 = [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ];
    return new _CertificateAuthority(await sign({ commonName: 'keelson-envtest' }, extensions2));
  }
  /** The certificate of the authority, which clients and servers have to trust. */
  get certificate() {
    return this.#authority.cert;
  }
  /** Signs a certificate for a server on this machine. */
  server() {
    const altNames = [
      { type: 2, value: 'localhost' },
      { type: 7, ip: '127.0.0.1' },
    ];
    const extensions2 = [
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ];
    return sign({ commonName: 'kube-apiserver' }, extensions2, this.#authority);
  }
  /** Signs a client certificate: Kubernetes reads the user name from its CN and the groups from its O entries. */
  user(name, groups) {
    const extensions2 = [{ name: 'extKeyUsage', clientAuth: true }];
    return sign({ commonName: name, organizations: groups }, extensions2, this.#authority);
  }
};
async function sign(subject, extensions2, authority) {
  const now = Date.now();
  const organizations = subject.organizations ?? [];
  const made = await generate(
    [
      { name: 'commonName', value: subject.commonName },
      ...organizations.map((value) => ({ name: 'organizationName', value })),
    ],
    {
      keyType: 'ec',
      algorithm: 'sha256',
      // A client whose clock is behind must not reject the certificate as not yet valid.
      notBeforeDate: new Date(now - 36e5),
      notAfterDate: new Date(now + days * 864e5),
      extensions: [...extensions2],
      ...(authority && { ca: authority }),
    },
  );
  return { cert: made.cert, key: made.private };
}

// packages/envtest/src/control-plane/control-plane.ts
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as join3 } from 'node:path';
import { builtin, parseDuration } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';

// packages/envtest/src/control-plane/assets.ts
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

// packages/envtest/src/errors.ts
import { CodedError } from '@keelson/apimachinery';
var envtestErrors = {
  BINARIES_NOT_FOUND: 'the folder does not hold the binaries of a control plane',
  BINARY_BROKEN: 'a binary of the control plane cannot be run',
  VERSION_NOT_SUPPORTED: 'the kube-apiserver is too old for these tests',
  PORT_IN_USE: 'the requested port is in use',
  START_FAILED: 'a process of the control plane ended before it was ready',
  START_TIMEOUT: 'the control plane was not ready in time',
  CRDS_NOT_FOUND: 'no CustomResourceDefinition could be read from the path',
  CRD_NOT_ESTABLISHED: 'a CustomResourceDefinition was not established in time',
  CRD_NOT_REMOVED: 'a CustomResourceDefinition was not removed in time',
  UNTIL_TIMEOUT: 'the object did not reach the expected state in time',
  USERS_NOT_SUPPORTED: 'users cannot be added to an existing cluster',
  OBSERVATION_NOT_SUPPORTED: 'this kind of environment does not record the requests of users',
  OBSERVATION_INCOMPLETE: 'the server did not record every access of the user',
  USER_NOT_OBSERVED: 'the user sent no request',
  ROLES_NOT_FOUND: 'no Role or ClusterRole was found',
  ROLE_INVALID: 'the rules of a Role or ClusterRole are malformed',
  ROLES_DIFFER: 'the roles differ from the permissions that the user needed',
  ROLE_RECORD_INVALID: 'the record of a check of roles is invalid',
  ENVIRONMENT_STOPPED: 'the test environment is stopped',
};
var EnvtestError = class extends CodedError {
  name = 'EnvtestError';
  constructor(code, facts = {}, options = {}) {
    super(code, envtestErrors[code], facts, options);
  }
};

// packages/envtest/src/control-plane/assets.ts
var OLDEST_MINOR_VERSION = 28;
var installHint =
  'install them with setup-envtest and set KUBEBUILDER_ASSETS, or pass `assets`, or use: "memory"';
async function findAssets(folder, wanted) {
  if (folder === void 0)
    throw new EnvtestError('BINARIES_NOT_FOUND', { folder: '(none)', how: installHint });
  const found = {
    etcd: join(folder, 'etcd'),
    'kube-apiserver': join(folder, 'kube-apiserver'),
    'kube-controller-manager': join(folder, 'kube-controller-manager'),
  };
  const executable = await Promise.all(wanted.map((asset) => isExecutable(found[asset])));
  const missing = wanted.filter((_, index) => executable[index] !== true);
  if (missing.length > 0) {
    throw new EnvtestError('BINARIES_NOT_FOUND', {
      folder,
      missing: missing.join(', '),
      how: installHint,
    });
  }
  await checkVersion(found['kube-apiserver']);
  return found;
}
async function isExecutable(path) {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
async function checkVersion(binary) {
  const version = await versionOf(binary);
  const minor = Number(/v1\.(\d+)/.exec(version)?.[1]);
  if (!(minor >= OLDEST_MINOR_VERSION)) {
    throw new EnvtestError('VERSION_NOT_SUPPORTED', {
      binary,
      version: version === '' ? '(none printed)' : version,
      oldest: `v1.${OLDEST_MINOR_VERSION}`,
    });
  }
}
async function versionOf(binary) {
  try {
    const { stdout } = await promisify(execFile)(binary, ['--version']);
    return stdout.trim();
  } catch (error) {
    throw new EnvtestError('BINARY_BROKEN', { binary }, { cause: error });
  }
}

// packages/envtest/src/control-plane/control-plane-flags.ts
import { join as join2 } from 'node:path';
var tokenIssuer = 'https://kubernetes.default.svc';
function filesOf({ folder }) {
  return {
    ca: join2(folder, 'ca.crt'),
    cert: join2(folder, 'apiserver.crt'),
    key: join2(folder, 'apiserver.key'),
    serviceAccountKey: join2(folder, 'service-account.key'),
    adminKubeconfig: join2(folder, 'admin.kubeconfig'),
  };
}
function etcdUrl({ etcdPort }) {
  return `http://127.0.0.1:${etcdPort}`;
}
function etcdFlags({ folder, etcdPort, etcdPeerPort }) {
  const client = etcdUrl({ etcdPort });
  const peer = `http://127.0.0.1:${etcdPeerPort}`;
  return [
    `--data-dir=${join2(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
  ];
}
function apiServerFlags(layout) {
  const files = filesOf(layout);
  const gates = Object.entries(layout.featureGates).map(([name, on]) => `${name}=${on}`);
  return [
    `--etcd-servers=${etcdUrl(layout)}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${layout.apiServerPort}`,
    `--cert-dir=${layout.folder}`,
    `--tls-cert-file=${files.cert}`,
    `--tls-private-key-file=${files.key}`,
    `--client-ca-file=${files.ca}`,
    '--authorization-mode=RBAC',
    `--service-account-issuer=${tokenIssuer}`,
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged=true',
    ...(gates.length > 0 ? [`--feature-gates=${gates.join(',')}`] : []),
    // If a flag is given twice, kube-apiserver uses the last one.
    ...layout.apiServerFlags,
  ];
}
var controllerNames = {
  'cluster-role-aggregation': ['clusterrole-aggregation-controller'],
  'garbage-collector': ['garbage-collector-controller'],
  namespace: ['namespace-controller'],
  'resource-quota': ['resourcequota-controller'],
  'storage-protection': [
    'persistentvolumeclaim-protection-controller',
    'persistentvolume-protection-controller',
  ],
};
function controllerManagerFlags(layout, controllers) {
  return [
    `--kubeconfig=${filesOf(layout).adminKubeconfig}`,
    `--controllers=${controllers.flatMap((name) => controllerNames[name]).join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
  ];
}

// packages/envtest/src/control-plane/free-port.ts
import { once } from 'node:events';
import { createServer } from 'node:net';
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(servers.map((server) => listen(server, 0)));
  await Promise.all(servers.map(close));
  return ports;
}
async function checkPort(port) {
  const server = createServer();
  try {
    await listen(server, port);
  } catch (error) {
    throw new EnvtestError('PORT_IN_USE', { port }, { cause: error });
  }
  await close(server);
}
async function listen(server, port) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
async function close(server) {
  server.close();
  await once(server, 'close');
}

// packages/envtest/src/control-plane/kubeconfig-text.ts
function kubeconfigText(name, cluster) {
  const { server, tls = {}, token } = cluster;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: {
          server,
          ...(tls.ca !== void 0 && { 'certificate-authority-data': base64(tls.ca) }),
        },
      },
    ],
    users: [
      {
        name,
        user: {
          ...(token !== void 0 && { token }),
          ...(tls.cert !== void 0 && { 'client-certificate-data': base64(tls.cert) }),
          ...(tls.key !== void 0 && { 'client-key-data': base64(tls.key) }),
        },
      },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: name } }],
    'current-context': 'test',
  };
  return `${JSON.stringify(config, void 0, 2)}
`;
}
function base64(pem) {
  const parts = typeof pem === 'string' || pem instanceof Uint8Array ? [pem] : pem;
  return Buffer.concat(parts.map((part) => Buffer.from(part))).toString('base64');
}

// packages/envtest/src/control-plane/service-account-token.ts
import { createSign, randomUUID } from 'node:crypto';
var LEEWAY_SECONDS = 60;
var ISSUED_BEFORE_SECONDS = 3600;
function signServiceAccountToken(key, facts) {
  const { namespace, name, uid, expires } = facts;
  const exp = Math.floor(expires / 1e3) - LEEWAY_SECONDS;
  const issued = Math.min(exp, Math.floor(Date.now() / 1e3)) - ISSUED_BEFORE_SECONDS;
  const claims = {
    iss: tokenIssuer,
    aud: [tokenIssuer],
    sub: `system:serviceaccount:${namespace}:${name}`,
    exp,
    iat: issued,
    nbf: issued,
    jti: randomUUID(),
    'kubernetes.io': { namespace, serviceaccount: { name, uid } },
  };
  const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
}
function encoded(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

// packages/envtest/src/supervisor/supervisor.ts
import { fork } from 'node:child_process';
import { once as once2 } from 'node:events';
import { rm } from 'node:fs/promises';
import { extname } from 'node:path';
var program = new URL(`./supervisor-main${extname(import.meta.url)}`, import.meta.url);
var Supervisor = class _Supervisor {
  #child;
  #logs = /* @__PURE__ */ new Map();
  #exits = /* @__PURE__ */ new Map();
  #ended;
  constructor(child) {
    this.#child = child;
    this.#ended = once2(child, 'exit');
    child.on('message', (message) => this.#handleReport(message));
  }
  /** Starts the supervisor, which removes `folder` when it ends. Throws `START_FAILED`. */
  static async create(folder, stopTimeout) {
    const child = fork(program, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [],
      detached: true,
    });
    try {
      await Promise.race([once2(child, 'message'), failure(child)]);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    const supervisor = new _Supervisor(child);
    supervisor.#send({ type: 'adopt', folder, stopTimeout });
    return supervisor;
  }
  /** Starts a process. Its output is kept under its name, after the output of an earlier process of that name. */
  start(name, command, args) {
    if (!this.#logs.has(name)) this.#logs.set(name, new LogLines());
    this.#exits.delete(name);
    this.#send({ type: 'start', name, command, args });
  }
  /** Pauses or resumes a process; resolves when the signal is sent. */
  async signal(name, signal) {
    const sent = this.#reported((report) => report.type === 'signalled' && report.name === name);
    this.#send({ type: 'signal', name, signal });
    await sent;
  }
  /** Kills a process; resolves when it has ended. */
  async kill(name) {
    if (this.#exits.has(name)) return;
    const ended = this.#reported((report) => report.type === 'exit' && report.name === name);
    this.#send({ type: 'signal', name, signal: 'SIGKILL' });
    await ended;
  }
  /** The processes that have ended, with the reason of each. */
  get exits() {
    return this.#exits;
  }
  logs() {
    return Object.fromEntries([...this.#logs].map(([name, lines]) => [name, lines.toString()]));
  }
  /** Ends every process, then the supervisor itself; resolves when all have ended. */
  async stop() {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
  /** Kills every process, then stops: an API server without its etcd takes long for a graceful shutdown. */
  async abandon() {
    await Promise.all([...this.#logs.keys()].map((name) => this.kill(name)));
    await this.stop();
  }
  async #reported(wanted) {
    const { promise, resolve: resolve2 } = Promise.withResolvers();
    const listener = (report) => {
      if (wanted(report)) resolve2();
    };
    this.#child.on('message', listener);
    await Promise.race([promise, this.#ended]);
    this.#child.off('message', listener);
  }
  #send(command) {
    this.#child.send(command);
  }
  #handleReport(message) {
    if (message.type === 'output') this.#logs.get(message.name)?.add(message.text);
    if (message.type === 'exit') this.#exits.set(message.name, message.reason);
  }
};
async function failure(child) {
  const [code, signal] = await once2(child, 'exit');
  throw new EnvtestError('START_FAILED', {
    process: 'supervisor',
    reason: signal ?? `code ${code}`,
  });
}
var limit = 200;
var LogLines = class {
  #lines = [];
  #rest = '';
  add(chunk) {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    this.#lines.push(...lines);
    this.#lines.splice(0, this.#lines.length - limit);
  }
  toString() {
    return [...this.#lines, this.#rest].join('\n').trimEnd();
  }
};

// packages/envtest/src/control-plane/control-plane.ts
var MAX_STARTS = 5;
var POLL_INTERVAL_MS = 100;
var PROBE_TIMEOUT_MS = 2e3;
var flagsOf = { etcd: etcdFlags, 'kube-apiserver': apiServerFlags };
var ControlPlane = class _ControlPlane {
  #parts;
  #administrator;
  constructor(parts) {
    this.#parts = parts;
  }
  /**
   * Starts the processes; resolves when the API server is ready. If the start fails, all processes and files are
   * removed. Retries with other ports if another process takes a free port before the control plane listens on it.
   */
  static async create(options) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await _ControlPlane.#start(options);
      } catch (error) {
        if (attempt === MAX_STARTS || !isPortTaken(error)) throw error;
      }
    }
  }
  static async #start(options) {
    const { controllers, port, startTimeout, stopTimeout } = options;
    const wanted = ['etcd', 'kube-apiserver'];
    if (controllers.length > 0) wanted.push('kube-controller-manager');
    const assets = await findAssets(options.assets, wanted);
    if (port !== 0) await checkPort(port);
    const folder = await mkdtemp(join3(tmpdir(), 'keelson-envtest-'));
    const supervisor = await Supervisor.create(folder, stopTimeout);
    try {
      const layout = await layoutOf(folder, options);
      const authority = await CertificateAuthority.create();
      const { privateKey: signingKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const parts = { assets, authority, layout, signingKey, startTimeout, supervisor };
      const plane = new _ControlPlane(parts);
      await plane.#begin(options);
      return plane;
    } catch (error) {
      await supervisor.abandon();
      throw error;
    }
  }
  /** Returns the cluster as one user reaches it, with a client certificate of that user. */
  async clusterOf(user, groups) {
    const { authority, layout } = this.#parts;
    const { cert, key } = await authority.user(user, groups);
    const server = `https://127.0.0.1:${layout.apiServerPort}`;
    return { server, tls: { ca: authority.certificate, cert, key } };
  }
  logs() {
    return this.#parts.supervisor.logs();
  }
  /** Ends all processes and removes their files. */
  end() {
    return this.#parts.supervisor.stop();
  }
  async stop(process2) {
    await this.#parts.supervisor.kill(process2);
  }
  async start(process2) {
    const { exits } = this.#parts.supervisor;
    if (exits.has(process2)) this.#spawn(process2);
    await this.#ready();
  }
  async restart(process2) {
    await this.stop(process2);
    await this.start(process2);
  }
  async pause(process2) {
    await this.#parts.supervisor.signal(process2, 'SIGSTOP');
  }
  async resume(process2) {
    await this.#parts.supervisor.signal(process2, 'SIGCONT');
    await this.#ready();
  }
  async compact() {
    await compactEtcd(etcdUrl(this.#parts.layout));
    await this.restart('kube-apiserver');
  }
  async issueToken({ expiresIn, ...account }) {
    var _stack = [];
    try {
      const lifetime = parseDuration(expiresIn, 'issueToken.expiresIn');
      const client = __using(_stack, createClient({ cluster: await this.#admin() }), true);
      const { metadata } = await client.get(builtin.ServiceAccount, account);
      const facts = { ...account, uid: metadata.uid, expires: Date.now() + lifetime };
      return signServiceAccountToken(this.#parts.signingKey, facts);
    } catch (_) {
      var _error = _,
        _hasError = true;
    } finally {
      var _promise = __callDispose(_stack, _error, _hasError);
      _promise && (await _promise);
    }
  }
  async #begin({ controllers }) {
    const { assets, layout, supervisor } = this.#parts;
    await writeFiles(this.#parts, await this.#admin());
    this.#spawn('etcd');
    this.#spawn('kube-apiserver');
    await this.#ready();
    if (controllers.length === 0) return;
    const flags = controllerManagerFlags(layout, controllers);
    supervisor.start('kube-controller-manager', assets['kube-controller-manager'], flags);
  }
  #admin() {
    this.#administrator ??= this.clusterOf('keelson-envtest-admin', ['system:masters']);
    return this.#administrator;
  }
  #spawn(process2) {
    const { assets, layout, supervisor } = this.#parts;
    supervisor.start(process2, assets[process2], flagsOf[process2](layout));
  }
  async #ready() {
    var _stack = [];
    try {
      const { startTimeout, supervisor } = this.#parts;
      const cluster = await this.#admin();
      const client = __using(_stack, createClient({ cluster, retry: false }), true);
      const deadline = performance.now() + startTimeout;
      while (performance.now() < deadline) {
        for (const [process2, reason] of supervisor.exits) {
          throw this.#failure('START_FAILED', { process: process2, reason });
        }
        if (await isReady(client)) return;
        await new Promise((resolve2) => setTimeout(resolve2, POLL_INTERVAL_MS));
      }
      throw this.#failure('START_TIMEOUT', { timeout: startTimeout });
    } catch (_) {
      var _error = _,
        _hasError = true;
    } finally {
      var _promise = __callDispose(_stack, _error, _hasError);
      _promise && (await _promise);
    }
  }
  /**
   * The message contains the output of the processes, because they have often ended before a test can read
   * `logs()`.
   */
  #failure(code, facts) {
    const isFirst = ([name]) => Number(name !== facts.process);
    const logs = Object.entries(this.logs())
      .toSorted((one, other) => isFirst(one) - isFirst(other))
      .map(
        ([name, text]) => `--- ${name}
${text}`,
      );
    return new EnvtestError(code, {
      ...facts,
      logs: `
${logs.join('\n')}
`,
    });
  }
};
function isPortTaken(error) {
  if (!(error instanceof EnvtestError) || error.code !== 'START_FAILED') return false;
  return /address already in use|EADDRINUSE/.test(String(error.facts['logs']));
}
async function layoutOf(folder, options) {
  const [etcdPort = 0, etcdPeerPort = 0, free = 0] = await freePorts(3);
  const { port, featureGates, apiServerFlags: flags } = options;
  const apiServerPort = port === 0 ? free : port;
  return { folder, etcdPort, etcdPeerPort, apiServerPort, featureGates, apiServerFlags: flags };
}
async function writeFiles({ authority, layout, signingKey }, admin) {
  const files = filesOf(layout);
  const server = await authority.server();
  const serviceAccountKey = signingKey.export({ type: 'pkcs1', format: 'pem' });
  const contents = [
    [files.ca, authority.certificate],
    [files.cert, server.cert],
    [files.key, server.key],
    [files.serviceAccountKey, serviceAccountKey.toString()],
    [files.adminKubeconfig, kubeconfigText('admin', admin)],
  ];
  await Promise.all(contents.map(([file, text]) => writeFile(file, text, { mode: 384 })));
}
async function isReady(client) {
  try {
    for (const path of ['/readyz', '/api/v1/namespaces/default']) {
      await client.request({ path, timeout: PROBE_TIMEOUT_MS });
    }
    return true;
  } catch {
    return false;
  }
}
var anyKey = Buffer.from('/').toString('base64');
async function compactEtcd(url) {
  const { header } = await post(`${url}/v3/kv/range`, { key: anyKey });
  await post(`${url}/v3/kv/compaction`, { revision: header.revision, physical: true });
}
async function post(url, body) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`etcd request failed (url=${url}, status=${response.status}, body=${text})`);
  return JSON.parse(text);
}

// packages/envtest/src/environment/environment-options.ts
import { homedir } from 'node:os';
import { join as join4 } from 'node:path';
import {
  checkOptions,
  invalidOption,
  parseDuration as parseDuration2,
} from '@keelson/apimachinery';
var recordRolesVariable = 'KEELSON_RECORD_ROLES';
var controlPlaneControllers = [
  'cluster-role-aggregation',
  'garbage-collector',
  'namespace',
  'resource-quota',
  'storage-protection',
];
var where = 'createTestEnvironment';
var known = [
  'use',
  'assets',
  'kubeconfig',
  'controllers',
  'featureGates',
  'apiServerFlags',
  'port',
  'crdTimeout',
  'startTimeout',
  'stopTimeout',
  'env',
];
var uses = ['auto', 'memory', 'binaries', 'kubeconfig'];
var isText = (value) => typeof value === 'string';
var isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
var checks = {
  use: [(value) => uses.some((use) => use === value), `must be one of ${uses.join(', ')}`],
  assets: [isText, 'must be a string'],
  kubeconfig: [isText, 'must be a string'],
  controllers: [
    (value) =>
      Array.isArray(value) && value.every((name) => controlPlaneControllers.includes(name)),
    `must be names out of ${controlPlaneControllers.join(', ')}`,
  ],
  featureGates: [
    (value) => isObject(value) && Object.values(value).every((gate) => typeof gate === 'boolean'),
    'must be an object of booleans',
  ],
  apiServerFlags: [
    (value) =>
      Array.isArray(value) &&
      value.every((flag) => typeof flag === 'string' && flag.startsWith('--')),
    'must be flags such as --v=4',
  ],
  port: [
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65535,
    'must be a number from 0 to 65535',
  ],
  env: [isObject, 'must be an object'],
};
function checkValues(options) {
  checkOptions(options, known, where);
  for (const [name, value] of Object.entries(options)) {
    const [isValid, expected] = checks[name] ?? [];
    if (value !== void 0 && isValid?.(value) === false) {
      throw invalidOption(`${where}.${name}`, expected ?? '');
    }
  }
}
function resolveOptions(options) {
  checkValues(options);
  const { use = 'auto', controllers = [], port = 0, env = process.env } = options;
  const { apiServerFlags: apiServerFlags2 = [] } = options;
  const assets = options.assets ?? env.KUBEBUILDER_ASSETS;
  return {
    use: use === 'auto' ? (assets === void 0 ? 'memory' : 'binaries') : use,
    assets,
    kubeconfig: options.kubeconfig ?? env.KUBECONFIG ?? join4(homedir(), '.kube', 'config'),
    controllers,
    featureGates: options.featureGates ?? {},
    apiServerFlags: apiServerFlags2,
    port,
    // An empty variable counts as unset.
    recordRoles: env[recordRolesVariable] || void 0,
    crdTimeout: parseDuration2(options.crdTimeout ?? '10s', `${where}.crdTimeout`),
    startTimeout: parseDuration2(options.startTimeout ?? '60s', `${where}.startTimeout`),
    stopTimeout: parseDuration2(options.stopTimeout ?? '10s', `${where}.stopTimeout`),
  };
}

// packages/envtest/src/environment/running-environment.ts
import { createClient as createClient2 } from '@keelson/client';

// packages/envtest/src/permissions/check-roles.ts
import {
  checkOptions as checkOptions3,
  invalidOption as invalidOption3,
} from '@keelson/apimachinery';

// packages/envtest/src/permissions/check-rule.ts
var members = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'];
function wrongMemberOf(rule) {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return '';
  const given = rule;
  if (!areTexts(given['verbs'])) return '.verbs';
  const unknown = Object.keys(given).find((name) => !members.some((known3) => known3 === name));
  if (unknown !== void 0) return `.${unknown}`;
  const wrong = members.find((name) => given[name] != null && !areTexts(given[name]));
  return wrong && `.${wrong}`;
}
function areTexts(value) {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

// packages/envtest/src/permissions/default-access.ts
var paths = /^\/(?:api|apis|openapi)(?:\/|$)|^\/(?:healthz|livez|readyz|version)\/?$/;
var selfReviews = /* @__PURE__ */ new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
]);
function isDefaultAccess(access2) {
  if (access2.kind === 'path') return access2.verb === 'get' && paths.test(access2.path);
  const { verb, group, resource } = access2;
  return verb === 'create' && selfReviews.has(`${group}/${resource}`);
}

// packages/envtest/src/permissions/permission.ts
var verbOrder = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
function compareVerbs(one, other) {
  return rankOf(one) - rankOf(other) || compareTexts(one, other);
}
function rankOf(verb) {
  const index = verbOrder.indexOf(verb);
  return index < 0 ? verbOrder.length : index;
}
function compareTexts(one, other) {
  return one < other ? -1 : Number(one > other);
}

// packages/envtest/src/permissions/merge-rules.ts
var members2 = ['groups', 'resources', 'paths', 'names', 'verbs'];
function mergeRules(permissions) {
  const named = mergeOver('names', widest(permissions).map(draftOf));
  return ['verbs', 'resources', 'paths', 'groups']
    .reduce((drafts, member) => mergeOver(member, drafts), named)
    .map(ruleOf)
    .toSorted((one, other) => compareTexts(orderOf(one), orderOf(other)));
}
function widest(permissions) {
  const keyOf = ({ verb, group, resource, path }) => [verb, group, resource, path].join(' ');
  const unlimited = permissions.filter(({ names }) => names === void 0).map(keyOf);
  const wide = new Set(unlimited);
  return permissions.filter((each) => each.names === void 0 || !wide.has(keyOf(each)));
}
function draftOf({ verb, group, resource, path, names = [] }) {
  return {
    groups: new Set(path === '' ? [group] : []),
    resources: new Set(path === '' ? [resource] : []),
    paths: new Set(path === '' ? [] : [path]),
    names: new Set(names),
    verbs: /* @__PURE__ */ new Set([verb]),
  };
}
function mergeOver(merged, drafts) {
  const united = /* @__PURE__ */ new Map();
  for (const draft of drafts) {
    const key = JSON.stringify(members2.map((member) => keyIn(draft, member, merged)));
    const known3 = united.get(key);
    united.set(
      key,
      known3
        ? { ...known3, [merged]: /* @__PURE__ */ new Set([...known3[merged], ...draft[merged]]) }
        : draft,
    );
  }
  return [...united.values()];
}
function keyIn(draft, member, merged) {
  return member === merged ? draft[member].size > 0 : [...draft[member]].toSorted(compareTexts);
}
function ruleOf({ groups, resources, paths: paths2, names, verbs }) {
  const own = [...verbs].toSorted(compareVerbs);
  if (paths2.size > 0) return { nonResourceURLs: sorted(paths2), verbs: own };
  return {
    apiGroups: sorted(groups),
    resources: sorted(resources),
    ...(names.size > 0 && { resourceNames: sorted(names) }),
    verbs: own,
  };
}
function sorted(values) {
  return [...values].toSorted(compareTexts);
}
function orderOf({ apiGroups = [], resources = [], nonResourceURLs = [], ...rest }) {
  const kind = nonResourceURLs.length > 0 ? 1 : 0;
  const { resourceNames = [], verbs } = rest;
  const parts = [
    apiGroups.slice(0, 1),
    resources,
    nonResourceURLs,
    resourceNames,
    verbs,
    apiGroups,
  ];
  return [kind, ...parts.map((values) => values.join(''))].join('\0');
}

// packages/envtest/src/permissions/role-part.ts
function partsOfRole({ kind, metadata, rules }) {
  const namespace = kind === 'Role' ? (metadata?.namespace ?? '') : '';
  return (rules ?? []).flatMap((rule) => partsOf(rule, namespace));
}
function partsOf(rule, namespace) {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length === 0 ? [''] : resourceNames;
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) => names.map((name) => ({ group, resource, name, path: '' }))),
  );
  const ofPaths = nonResourceURLs.map((path) => ({ group: '', resource: '', name: '', path }));
  return [...ofResources, ...ofPaths].flatMap((target) =>
    verbs.map((verb) => ({ ...target, verb, namespace })),
  );
}
function isHeld(permission, held) {
  const { usedNames: usedNames2 = [''] } = permission;
  return usedNames2.every((name) =>
    held.some(
      (part) =>
        (part.namespace === '' || part.namespace === permission.namespace) &&
        covers(part, permission, name),
    ),
  );
}
function covers(part, wanted, name) {
  if (part.verb !== '*' && part.verb !== wanted.verb) return false;
  if (wanted.path !== '') return coversPath(part.path, wanted.path);
  return (
    part.path === '' &&
    (part.group === '*' || part.group === wanted.group) &&
    coversResource(part.resource, wanted.resource) &&
    (part.name === '' || part.name === name)
  );
}
function coversResource(held, wanted) {
  if (held === '*' || held === wanted) return true;
  return held.startsWith('*/') && wanted.endsWith(held.slice(1));
}
function coversPath(held, wanted) {
  return held === wanted || (held.endsWith('*') && wanted.startsWith(held.slice(0, -1)));
}
function uses2(permission, part, isEverywhere) {
  const { names, usedNames: usedNames2 } = permission;
  const isSame2 =
    permission.verb === part.verb &&
    permission.group === part.group &&
    permission.resource === part.resource &&
    permission.path === part.path;
  if (!isSame2 || !isInScope(permission, part, isEverywhere)) return false;
  if (part.name === '') return names === void 0;
  return usedNames2?.includes(part.name) ?? false;
}
function isInScope({ namespace, need }, part, isEverywhere) {
  if (need === 'default' || namespace === part.namespace || namespace === '') return true;
  return part.namespace === '' && !isEverywhere;
}
function rulesOf(parts) {
  return mergeRules(
    parts.map(({ name, ...part }) => ({ ...part, names: name === '' ? void 0 : [name] })),
  );
}

// packages/envtest/src/permissions/rule-line.ts
function titleOf({ kind = '', metadata: { name = '', namespace = '' } = {} }) {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
function lineOf(rule) {
  const fields = Object.entries(rule).map(([key, values]) => {
    const shown = values.map((value) => (/^[a-z/][\w./-]*$/i.test(value) ? value : `'${value}'`));
    return `${key}: [${shown.join(', ')}]`;
  });
  return `{ ${fields.join(', ')} }`;
}

// packages/envtest/src/permissions/compare-roles.ts
function compareRoles(roles, options) {
  const held = roles.flatMap((role) => partsOfRole(role));
  const excess = roles.flatMap((role) =>
    rulesOf(excessParts(role, options)).map((rule) => `${titleOf(role)}: ${lineOf(rule)}`),
  );
  return { missing: missingLines(missingPermissions(held, options)), excess };
}
function missingPermissions(held, { permissions }) {
  return permissions.filter(
    (permission) => permission.need === 'required' && !isHeld(permission, held),
  );
}
function excessParts(role, { permissions, isEverywhere, mayExceed }) {
  const tolerated = mayExceed.flatMap((rule) => partsOf(rule, ''));
  return partsOfRole(role)
    .filter((part) => !isDefaultPart(part))
    .filter((part) => !permissions.some((permission) => uses2(permission, part, isEverywhere)))
    .filter((part) => !tolerated.some((wide) => covers(wide, part, part.name)));
}
function isDefaultPart({ verb, group, resource, path }) {
  return isDefaultAccess(
    path === '' ? { kind: 'resource', verb, group, resource } : { kind: 'path', verb, path },
  );
}
function missingLines(missing) {
  const namespaces = [...new Set(missing.map(({ namespace }) => namespace))];
  return namespaces.toSorted(compareTexts).flatMap((namespace) => {
    const own = missing.filter((permission) => permission.namespace === namespace);
    const title = namespace === '' ? 'ClusterRole' : `Role in ${namespace}`;
    return mergeRules(own).map((rule) => `${title}: ${lineOf(rule)}`);
  });
}

// packages/envtest/src/permissions/observer.ts
import {
  checkOptions as checkOptions2,
  invalidOption as invalidOption2,
} from '@keelson/apimachinery';

// packages/envtest/src/permissions/expected-permissions.ts
var companions = [
  // An informer relists after an interruption, also on a server on which its watch sent the first objects.
  {
    isFor: (permission) => permission.verb === 'watch' && !isLease(permission),
    verbs: ['list'],
    need: 'required',
  },
  // An informer lists or watches first, depending on the server. `list` reveals as much as the other two.
  {
    isFor: (permission) => ['list', 'watch'].includes(permission.verb) && !isLease(permission),
    verbs: ['get', 'list', 'watch'],
    need: 'expected',
  },
  // A leader election creates its Lease once, renews it after seconds, and watches it while another process leads.
  {
    isFor: (permission) => ['create', 'update'].includes(permission.verb) && isLease(permission),
    verbs: ['get', 'watch', 'create', 'update'],
    need: 'expected',
  },
  // An event that is repeated is patched.
  {
    isFor: ({ verb, group, resource }) =>
      verb === 'create' && resource === 'events' && (group === '' || group === 'events.k8s.io'),
    verbs: ['patch'],
    need: 'expected',
  },
];
function isLease({ group, resource }) {
  return group === 'coordination.k8s.io' && resource === 'leases';
}
function expectedPermissions(observed) {
  return observed
    .filter(({ need }) => need === 'required')
    .flatMap((permission) =>
      companions
        .filter(({ isFor }) => isFor(permission))
        .flatMap(({ verbs, need }) => verbs.map((verb) => ({ ...permission, verb, need })))
        .filter(({ verb }) => verb !== permission.verb)
        .map((companion) => ({ ...companion, ...namesOf(companion, permission, observed) })),
    );
}
function namesOf({ verb }, cause, observed) {
  if (verb === 'create') return { names: void 0, usedNames: void 0 };
  if (cause.verb !== 'create') return picked(cause);
  const named = observed.filter(({ verb: other, group, resource, namespace }) => {
    const isSame2 = group === cause.group && resource === cause.resource;
    return isSame2 && namespace === cause.namespace && other !== 'create';
  });
  return picked(named.find(({ names }) => names === void 0) ?? named[0] ?? cause);
}
function picked({ names, usedNames: usedNames2 }) {
  return { names, usedNames: usedNames2 };
}

// packages/envtest/src/permissions/observed-permissions.ts
var collectionReads = /* @__PURE__ */ new Set(['list', 'watch']);
var keepNames = /* @__PURE__ */ new Set(['impersonate', 'bind', 'escalate']);
function observedPermissions(accesses, options) {
  const wanted = accesses.filter(({ isRefused }) => options.refused !== 'omit' || !isRefused);
  const { sources = [] } = options;
  const isEverywhere = worksEverywhere(wanted, options);
  const scope = new ScopeChoice(wanted, sources, { ...options, isEverywhere });
  const observed = wanted.map((access2) => permissionOf(access2, scope, options));
  const declared = sources.flatMap((source) => permissionsOf(source, scope));
  const required = [...observed, ...declared];
  return { permissions: [...required, ...expectedPermissions(required)], isEverywhere };
}
function worksEverywhere(accesses, { namespaces = 'auto', sources = [] }) {
  if (namespaces !== 'auto') return namespaces === 'any';
  return (
    accesses.some((access2) => access2.kind === 'resource' && readsEverywhere(access2)) ||
    sources.some(({ resource, namespace }) => resource.namespaced === true && !namespace)
  );
}
function readsEverywhere({ verb, namespace, isNamespaced }) {
  return collectionReads.has(verb) && namespace === '' && isNamespaced;
}
var ScopeChoice = class {
  #isEverywhere;
  #own;
  #readsLeases;
  constructor(accesses, sources, options) {
    this.#isEverywhere = options.isEverywhere;
    this.#own = options.ownNamespaces;
    this.#readsLeases =
      accesses.some(
        (access2) => access2.kind === 'resource' && isLease2(access2) && readsEverywhere(access2),
      ) ||
      sources.some(({ resource: { group, plural }, namespace }) => {
        return isLease2({ group, resource: plural }) && !namespace;
      });
  }
  /** The namespace whose Role grants the access; `""` for the ClusterRole. */
  of({ group, resource, namespace }) {
    if (group === '' && resource === 'namespaces') return '';
    if (!this.#isEverywhere) return namespace;
    if (this.#own !== void 0) return this.#own.includes(namespace) ? namespace : '';
    return isLease2({ group, resource }) && !this.#readsLeases ? namespace : '';
  }
};
function isLease2({ group, resource }) {
  return group === 'coordination.k8s.io' && resource === 'leases';
}
function permissionOf(access2, scope, options) {
  const isDefault = isDefaultAccess(access2);
  const isOwner = access2.cause === 'ownerReference';
  const need = isDefault ? 'default' : isOwner ? 'expected' : 'required';
  const { verb } = access2;
  const noNames = { names: void 0, usedNames: void 0 };
  if (access2.kind === 'path') {
    const { path } = access2;
    return { need, verb, path, group: '', resource: '', namespace: '', ...noNames };
  }
  const { group, resource, subresource } = access2;
  return {
    need,
    verb,
    group,
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
    path: '',
    namespace: scope.of(access2),
    names: grantedNames(access2, options),
    usedNames: usedNames(access2),
  };
}
function usedNames({ names }) {
  return names === void 0 || names.includes('') ? void 0 : names;
}
function grantedNames(access2, { fixedNames = [] }) {
  const names = usedNames(access2);
  const { verb, cause, group, resource } = access2;
  if (names === void 0 || verb === 'create') return void 0;
  if (cause === 'grant' || keepNames.has(verb)) return names;
  const declared = fixedNames.filter((fixed2) => {
    return fixed2.resource.group === group && fixed2.resource.plural === resource;
  });
  const fixed = new Set(declared.flatMap((each) => each.names));
  return names.every((name) => fixed.has(name)) ? names : void 0;
}
function permissionsOf({ resource: { group, plural: resource }, namespace = '' }, scope) {
  const noNames = { names: void 0, usedNames: void 0 };
  return ['list', 'watch'].map((verb) => ({
    need: 'required',
    verb,
    group,
    resource,
    path: '',
    namespace: scope.of({ group, resource, namespace }),
    ...noNames,
  }));
}

// packages/envtest/src/permissions/observed-rules.ts
var apiVersion = 'rbac.authorization.k8s.io/v1';
function rolesOf(permissions, name) {
  const granted = permissions.filter(({ need }) => need !== 'default');
  const rulesIn = (wanted) => {
    const own = granted.filter(({ namespace }) => namespace === wanted);
    return mergeRules(wanted === '' ? own : own.filter((each) => !isCovered(each, granted)));
  };
  const found = [...new Set(granted.map(({ namespace }) => namespace))].toSorted(compareTexts);
  const roles = found
    .filter((namespace) => namespace !== '')
    .map((namespace) => ({ namespace, rules: rulesIn(namespace) }))
    .filter(({ rules: rules2 }) => rules2.length > 0)
    .map(({ namespace, rules: rules2 }) => {
      return { apiVersion, kind: 'Role', metadata: { name, namespace }, rules: rules2 };
    });
  const rules = rulesIn('');
  const clusterRole = { apiVersion, kind: 'ClusterRole', metadata: { name }, rules };
  return { clusterRoles: rules.length > 0 ? [clusterRole] : [], roles };
}
function isCovered(wanted, granted) {
  return granted.some(
    ({ namespace, verb, group, resource, names }) =>
      namespace === '' &&
      verb === wanted.verb &&
      group === wanted.group &&
      resource === wanted.resource &&
      (names === void 0 || wanted.names?.every((name) => names.includes(name)) === true),
  );
}
function roleNameOf(user) {
  const name = user.split(':').at(-1) ?? '';
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '-') || 'user';
}

// packages/envtest/src/permissions/observer.ts
var observedRulesOptions = [
  'name',
  'namespaces',
  'ownNamespaces',
  'fixedNames',
  'sources',
  'refused',
];
var Observer = class {
  #kind;
  #source;
  /** `source` is undefined for the kinds of environments that do not record accesses. */
  constructor(kind, source) {
    this.#kind = kind;
    this.#source = source;
  }
  /** Throws `OBSERVATION_NOT_SUPPORTED`, `USER_NOT_OBSERVED`, `OBSERVATION_INCOMPLETE`, `INVALID_OPTION`. */
  rules(user, options) {
    const { permissions } = this.permissions(user, options);
    return rolesOf(permissions, options.name ?? roleNameOf(user));
  }
  /** Throws as `rules`. */
  permissions(user, options, where2 = 'observedRules') {
    check(options, where2);
    return observedPermissions(this.#accessesOf(user), options);
  }
  #accessesOf(user) {
    if (this.#source === void 0) {
      throw new EnvtestError('OBSERVATION_NOT_SUPPORTED', { kind: this.#kind });
    }
    const found = this.#source.observedAccesses(user);
    if (found === void 0) {
      const users = this.#source.observedUsers.join(' ');
      throw new EnvtestError('USER_NOT_OBSERVED', { user, users });
    }
    if (!found.isComplete) throw new EnvtestError('OBSERVATION_INCOMPLETE', { user });
    return found.accesses;
  }
};
function check(options, where2) {
  checkOptions2(options, observedRulesOptions, where2);
  const { namespaces = 'auto', refused = 'include' } = options;
  if (!['auto', 'exact', 'any'].includes(namespaces)) {
    throw invalidOption2(`${where2}.namespaces`, 'must be auto, exact or any');
  }
  if (!['include', 'omit'].includes(refused)) {
    throw invalidOption2(`${where2}.refused`, 'must be include or omit');
  }
  for (const name of ['ownNamespaces', 'fixedNames', 'sources']) {
    const value = options[name];
    if (value === void 0 || Array.isArray(value)) continue;
    throw invalidOption2(`${where2}.${name}`, 'must be an array');
  }
  for (const name of ['fixedNames', 'sources']) {
    for (const [index, given] of (options[name] ?? []).entries()) {
      checkResource(given, `${where2}.${name}[${index}]`);
    }
  }
  for (const [index, { names }] of (options.fixedNames ?? []).entries()) {
    if (Array.isArray(names)) continue;
    throw invalidOption2(`${where2}.fixedNames[${index}].names`, 'must be an array');
  }
}
function checkResource(given, option) {
  const { resource } = given ?? {};
  if (typeof resource?.group === 'string' && typeof resource.plural === 'string') return;
  throw invalidOption2(`${option}.resource`, 'must be a resource token');
}

// packages/envtest/src/files/read-documents.ts
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname as extname2, join as join5 } from 'node:path';
var extensions = /* @__PURE__ */ new Set(['.yaml', '.yml', '.json']);
async function readDocuments(path) {
  const documents = await Promise.all((await filesOf2(path)).map(documentsOf));
  return documents.flat();
}
async function filesOf2(path) {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => extensions.has(extname2(name)));
  return names.toSorted().map((name) => join5(path, name));
}
async function documentsOf(file) {
  const { loadAll, Schema, timestampTag, YAML11_SCHEMA } = await import('js-yaml');
  const schema = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
  return loadAll(await readFile(file, 'utf8'), { schema, filename: file });
}

// packages/envtest/src/permissions/read-roles.ts
var DEFAULT_NAMESPACE = 'default';
async function readRoles(sources, namespace = DEFAULT_NAMESPACE) {
  const list = [sources].flat();
  const documents = (await Promise.all(list.map(documentsOf2))).flat();
  const objects = documents.flatMap(itemsOf).filter(isOfRbac);
  const clusterRoles = objects.filter(({ kind }) => kind === 'ClusterRole');
  for (const { kind, metadata, rules } of objects) {
    if (kind === 'ClusterRole' || kind === 'Role') checkRules(`${kind} ${metadata?.name}`, rules);
  }
  const namespaced = objects.filter(({ kind }) => kind === 'Role');
  const roles = namespaced.map((role) => ({ ...role, metadata: { namespace, ...role.metadata } }));
  if (clusterRoles.length > 0 || roles.length > 0) return { clusterRoles, roles };
  throw new EnvtestError('ROLES_NOT_FOUND', { paths: pathsOf(list) });
}
async function documentsOf2(source) {
  if (typeof source !== 'string') return [source];
  try {
    return await readDocuments(source);
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
    throw new EnvtestError('ROLES_NOT_FOUND', { paths: source, reason }, { cause });
  }
}
function itemsOf(document) {
  const { kind, items } = document ?? {};
  const isList = typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
  return isList ? items : [document];
}
function checkRules(role, rules) {
  if (rules === void 0 || rules === null) return;
  if (!Array.isArray(rules)) throw new EnvtestError('ROLE_INVALID', { role, path: 'rules' });
  for (const [index, rule] of rules.entries()) {
    const wrong = wrongMemberOf(rule);
    if (wrong === void 0) continue;
    throw new EnvtestError('ROLE_INVALID', { role, path: `rules[${index}]${wrong}` });
  }
}
function pathsOf(sources) {
  return sources.filter((source) => typeof source === 'string').join(' ');
}
function isOfRbac(document) {
  const { apiVersion: apiVersion3 } = document ?? {};
  return apiVersion3?.startsWith('rbac.authorization.k8s.io/') === true;
}

// packages/envtest/src/permissions/check-roles.ts
var known2 = [...observedRulesOptions.filter((name) => name !== 'name'), 'mayExceed', 'namespace'];
function neededPermissions(observer, user, options) {
  checkOptions3(options, known2, 'checkRoles');
  const { mayExceed = [], namespace, ...observation } = options;
  if (!Array.isArray(mayExceed)) throw invalidOption3('checkRoles.mayExceed', 'must be an array');
  for (const [index, rule] of mayExceed.entries()) {
    const wrong = wrongMemberOf(rule);
    if (wrong === void 0) continue;
    throw invalidOption3(`checkRoles.mayExceed[${index}]${wrong}`, 'must be a rule of a role');
  }
  if (namespace !== void 0 && typeof namespace !== 'string') {
    throw invalidOption3('checkRoles.namespace', 'must be a string');
  }
  const permissions = observer.permissions(user, observation, 'checkRoles');
  return { user, namespace, mayExceed, ...permissions };
}
async function checkRoles(roles, needed) {
  const found = await readRoles(roles, needed.namespace);
  const all = [...found.clusterRoles, ...found.roles];
  const { missing, excess } = compareRoles(all, needed);
  if (missing.length === 0 && excess.length === 0) return;
  throw new EnvtestError('ROLES_DIFFER', {
    user: needed.user,
    missing: listed(missing),
    excess: listed(excess),
  });
}
function listed(lines) {
  return lines.length === 0
    ? 'none'
    : `
${lines
  .map(
    (line) => `  ${line}
`,
  )
  .join('')}`;
}

// packages/envtest/src/recording/role-record.ts
import { randomUUID as randomUUID2 } from 'node:crypto';
import {
  mkdir,
  readdir as readdir2,
  readFile as readFile2,
  writeFile as writeFile2,
} from 'node:fs/promises';
import { join as join6, resolve } from 'node:path';

// packages/envtest/src/recording/recorded-roles.ts
var RecordedRoles = class {
  /** The path of the file that the checks named. */
  file;
  #needed;
  #namespace;
  #name;
  constructor(file, records) {
    this.file = file;
    this.#needed = {
      permissions: records.flatMap(({ permissions }) => permissions),
      isEverywhere: records.some(({ isEverywhere }) => isEverywhere),
      mayExceed: records.flatMap(({ mayExceed }) => mayExceed),
    };
    const [first] = records;
    this.#namespace = first?.namespace ?? 'default';
    this.#name = roleNameOf(first?.user ?? '');
  }
  /**
   * Removes from Roles and ClusterRoles what no request needed and no check tolerates, and adds what they lack to the first
   * role of the same scope. They keep their names, and limits to the names of objects. Roles that a check would accept do
   * not change.
   */
  update(present) {
    const drafts = present.map((role) => this.#draftOf(role));
    const held = drafts.flatMap(({ kept }) => kept);
    const isAccepted =
      missingPermissions(held, this.#needed).length === 0 &&
      drafts.every(({ excess }) => excess.length === 0);
    const { fresh, added } = isAccepted ? { fresh: [], added: [] } : this.#add(drafts, held);
    return {
      roles: [...drafts.map(updatedRole), ...fresh],
      added,
      removed: drafts.flatMap(({ role, excess }) => linesOf(role, excess)),
    };
  }
  #draftOf(given) {
    const metadata = { namespace: this.#namespace, ...given.metadata };
    const role = given.kind === 'Role' ? { ...given, metadata } : given;
    const excess = excessParts(role, this.#needed);
    const kept = partsOfRole(role).filter((part) => !excess.some((one) => isSame(one, part)));
    return { given, role, excess, kept, more: [] };
  }
  /** Adds the permissions that the kept parts lack; makes new roles for scopes without one. */
  #add(drafts, held) {
    const name = drafts[0]?.role.metadata?.name ?? this.#name;
    const lacking = this.#needed.permissions.filter((permission) => !isHeld(permission, held));
    const { clusterRoles, roles } = rolesOf(lacking, name);
    const fresh = [];
    const added = [];
    for (const role of [...clusterRoles, ...roles]) {
      const draft = drafts.find((one) => hasScopeOf(one.role, role));
      const parts = partsOfRole(role);
      if (draft === void 0) fresh.push(role);
      else draft.more.push(...parts);
      added.push(...linesOf(draft?.role ?? role, parts));
    }
    return { fresh, added };
  }
};
function updatedRole({ given, excess, kept, more }) {
  if (excess.length === 0 && more.length === 0) return given;
  return { ...given, rules: rulesOf([...kept, ...more]) };
}
function hasScopeOf(one, other) {
  if (one.kind !== other.kind) return false;
  return one.kind === 'ClusterRole' || one.metadata?.namespace === other.metadata?.namespace;
}
function linesOf(role, parts) {
  return rulesOf(parts).map((rule) => `${titleOf(role)}: ${lineOf(rule)}`);
}
function isSame(one, other) {
  return (
    one.verb === other.verb &&
    one.group === other.group &&
    one.resource === other.resource &&
    one.path === other.path &&
    one.name === other.name
  );
}

// packages/envtest/src/recording/role-record.ts
var FORMAT = 1;
function recordableFile(roles) {
  const [source, ...others] = [roles].flat();
  return typeof source === 'string' && others.length === 0 ? resolve(source) : void 0;
}
async function writeRoleRecord(folder, file, needed) {
  await mkdir(folder, { recursive: true });
  const text = JSON.stringify({ format: FORMAT, file, needed });
  await writeFile2(join6(folder, `${randomUUID2()}.json`), text, { flag: 'wx' });
}
async function readRecordedRoles(folder) {
  const byFile = /* @__PURE__ */ new Map();
  const names = (await readdir2(folder)).filter((name) => name.endsWith('.json'));
  const records = await Promise.all(names.map((name) => readRecord(join6(folder, name))));
  const sorted2 = records.toSorted((one, other) => compareTexts(one.order, other.order));
  for (const { file, needed } of sorted2) byFile.set(file, [...(byFile.get(file) ?? []), needed]);
  return [...byFile].map(([file, all]) => new RecordedRoles(file, all));
}
async function readRecord(path) {
  const text = await readFile2(path, 'utf8');
  let record;
  try {
    record = JSON.parse(text);
  } catch (cause) {
    throw new EnvtestError('ROLE_RECORD_INVALID', { record: path }, { cause });
  }
  const { format, file, needed } = record ?? {};
  if (format !== FORMAT || file === void 0 || needed === void 0) {
    throw new EnvtestError('ROLE_RECORD_INVALID', { record: path, format });
  }
  return { file, needed, order: `${file}\0${text}` };
}

// packages/envtest/src/environment/read-crds.ts
import { builtin as builtin2 } from '@keelson/apimachinery';
async function readCrds(path) {
  const definitions = (await documentsOf3(path)).filter(isDefinition);
  if (definitions.length > 0) return definitions;
  throw new EnvtestError('CRDS_NOT_FOUND', { path });
}
async function documentsOf3(path) {
  try {
    return await readDocuments(path);
  } catch (cause) {
    throw new EnvtestError('CRDS_NOT_FOUND', { path }, { cause });
  }
}
function isDefinition(document) {
  const { group, kind } = builtin2.CustomResourceDefinition;
  const { apiVersion: apiVersion3, kind: found } = document ?? {};
  return found === kind && apiVersion3?.startsWith(`${group}/`) === true;
}

// packages/envtest/src/environment/install-crds.ts
import {
  builtin as builtin3,
  defineResource,
  findCondition,
  isConditionTrue,
  isNotFound as isNotFound2,
} from '@keelson/apimachinery';

// packages/envtest/src/environment/until.ts
import { isNotFound, parseDuration as parseDuration3 } from '@keelson/apimachinery';
async function until(client, resource, name, predicate, options = {}) {
  const timeout = parseDuration3(options.timeout ?? '10s', 'until.timeout');
  const expired = AbortSignal.timeout(timeout);
  const signal = AbortSignal.any([expired, ...(options.signal ? [options.signal] : [])]);
  let last;
  const isMet = (object) => {
    last = object;
    return predicate(object);
  };
  try {
    for (;;) {
      const met = await observe(client, resource, { name, isMet, signal });
      if (met !== void 0) return met.object;
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!expired.aborted) throw error;
    const seen = last === void 0 ? 'no object' : JSON.stringify(last);
    throw new EnvtestError('UNTIL_TIMEOUT', { kind: resource.kind, ...name, timeout, seen });
  }
}
async function observe(client, resource, { name, isMet, signal }) {
  const { namespace } = name;
  const fieldSelector = `metadata.name=${name.name}`;
  const selection = { fieldSelector, signal, ...(namespace !== void 0 && { namespace }) };
  const { items, metadata } = await client.list(resource, selection);
  const [first] = items;
  if (isMet(first)) return { object: first };
  const { resourceVersion } = metadata;
  try {
    for await (const event of client.watch(resource, { ...selection, resourceVersion })) {
      if (event.type === 'BOOKMARK') continue;
      const object = event.type === 'DELETED' ? void 0 : event.object;
      if (isMet(object)) return { object };
    }
  } catch (error) {
    if (signal.aborted || isNotFound(error)) throw error;
  }
  return void 0;
}

// packages/envtest/src/environment/install-crds.ts
async function installCrds(client, crds, timeout) {
  await Promise.all(crds.map((crd) => install(client, crd, timeout)));
}
async function install(client, crd, timeout) {
  const name = crd.metadata?.name ?? '';
  const signal = AbortSignal.timeout(timeout);
  try {
    const definition = { ...crd, metadata: { ...crd.metadata, name } };
    await establish(client, definition, signal);
  } catch (error) {
    if (!signal.aborted || error instanceof EnvtestError) throw error;
    throw new EnvtestError('CRD_NOT_ESTABLISHED', { crd: name, seen: 'no response in time' });
  }
}
async function establish(client, object, signal) {
  let established;
  while (established === void 0) {
    const applied = await client.apply(builtin3.CustomResourceDefinition, object, { signal });
    established = await untilEstablished(client, applied, signal);
  }
  await untilRead(client, established, signal);
}
async function untilEstablished(client, applied, signal) {
  if (isEstablished(applied)) return applied;
  const { name, resourceVersion } = applied.metadata;
  const selection = { fieldSelector: `metadata.name=${name}`, resourceVersion, signal };
  let seen = progressOf(applied);
  try {
    for await (const event of client.watch(builtin3.CustomResourceDefinition, selection)) {
      if (event.type === 'BOOKMARK') continue;
      if (event.type === 'DELETED') return void 0;
      if (isEstablished(event.object)) return event.object;
      seen = progressOf(event.object);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new EnvtestError('CRD_NOT_ESTABLISHED', { crd: name, seen });
}
function isEstablished({ metadata, status }) {
  if (metadata.deletionTimestamp !== void 0) return false;
  return isConditionTrue(status?.conditions ?? [], 'Established');
}
function progressOf({ metadata, status }) {
  if (metadata.deletionTimestamp !== void 0) return 'it is being deleted';
  return findCondition(status?.conditions ?? [], 'NamesAccepted')?.message ?? 'no conditions';
}
async function untilRead(client, { spec }, signal) {
  const { group, names, scope, versions } = spec;
  const urls = { group, plural: names.plural, scope };
  const served = versions.filter((version) => version.served);
  await Promise.all(
    served.map((version) => {
      const resource = defineResource({ ...urls, version: version.name, kind: 'Installed' });
      return client.list(resource, { limit: 1, signal });
    }),
  );
}
async function uninstallCrds(client, crds, timeout) {
  await Promise.all(crds.map((crd) => uninstall(client, crd.metadata?.name ?? '', timeout)));
}
async function uninstall(client, name, timeout) {
  const crds = builtin3.CustomResourceDefinition;
  try {
    await client.delete(crds, { name });
    await until(client, crds, { name }, (crd) => crd === void 0, { timeout });
  } catch (cause) {
    if (isNotFound2(cause)) return;
    if (!(cause instanceof EnvtestError)) throw cause;
    throw new EnvtestError('CRD_NOT_REMOVED', { crd: name, seen: cause.facts['seen'] }, { cause });
  }
}

// packages/envtest/src/environment/running-environment.ts
var RunningEnvironment = class {
  #backend;
  #client;
  #crdTimeout;
  #recordRoles;
  #observer;
  #stopped;
  constructor(backend, { crdTimeout, recordRoles }) {
    this.#backend = backend;
    this.#client = createClient2({
      cluster: backend.admin.cluster,
      fieldManager: 'keelson-envtest',
    });
    this.#crdTimeout = crdTimeout;
    this.#recordRoles = recordRoles;
    this.#observer = new Observer(backend.kind, backend.accesses);
  }
  get kind() {
    return this.#backend.kind;
  }
  get admin() {
    return this.#backend.admin;
  }
  get controls() {
    return this.#backend.controls;
  }
  async addUser(user) {
    this.#checkRunning();
    return this.#backend.addUser(user);
  }
  async installCrds(crds) {
    this.#checkRunning();
    await installCrds(this.#client, await readAll(crds), this.#crdTimeout);
  }
  async uninstallCrds(crds) {
    this.#checkRunning();
    await uninstallCrds(this.#client, await readAll(crds), this.#crdTimeout);
  }
  async observedRules(user, options = {}) {
    return this.#observer.rules(user, options);
  }
  async checkRoles(user, roles, options = {}) {
    const needed = neededPermissions(this.#observer, user, options);
    const file = this.#recordRoles === void 0 ? void 0 : recordableFile(roles);
    if (this.#recordRoles === void 0 || file === void 0) return checkRoles(roles, needed);
    await writeRoleRecord(this.#recordRoles, file, needed);
  }
  logs() {
    return this.#backend.logs();
  }
  stop() {
    this.#stopped ??= this.#client.close().then(() => this.#backend.stop());
    return this.#stopped;
  }
  [Symbol.asyncDispose]() {
    return this.stop();
  }
  #checkRunning() {
    if (this.#stopped !== void 0) throw new EnvtestError('ENVIRONMENT_STOPPED');
  }
};
async function readAll(crds) {
  const read = crds.map(async (crd) => (typeof crd === 'string' ? readCrds(crd) : [crd]));
  return (await Promise.all(read)).flat();
}

// packages/envtest/src/backends/memory-controls.ts
var MemoryControls = class {
  #server;
  #stopped = /* @__PURE__ */ new Map();
  #paused = /* @__PURE__ */ new Map();
  constructor(server) {
    this.#server = server;
  }
  async stop(process2) {
    if (this.#stopped.has(process2)) return;
    this.#stopped.set(process2, process2 === 'etcd' ? this.#loseStorage() : this.#goDown());
  }
  start(process2) {
    return end(this.#stopped, process2);
  }
  async restart(process2) {
    await this.stop(process2);
    await this.start(process2);
  }
  async pause(process2) {
    if (!this.#paused.has(process2)) this.#paused.set(process2, this.#freeze());
  }
  resume(process2) {
    return end(this.#paused, process2);
  }
  async compact() {
    this.#server.compact();
    this.#server.faults.cutWatches();
  }
  async issueToken(options) {
    return this.#server.issueToken(options);
  }
  /** Makes requests fail. Watches stay open: a kube-apiserver also serves them from its cache. */
  #loseStorage() {
    const message = 'etcdserver: request timed out';
    const fault = this.#server.faults.fail({ code: 500, message });
    return () => fault.end();
  }
  #goDown() {
    const outage = this.#server.faults.refuseConnections();
    return () => outage.end();
  }
  #freeze() {
    const { faults } = this.#server;
    const requests = faults.hang();
    const watches = faults.stallWatches();
    return () => {
      requests.end();
      watches.end();
    };
  }
};
async function end(faults, process2) {
  const ending = faults.get(process2);
  faults.delete(process2);
  await ending?.();
}

// packages/envtest/src/backends/create-test-environment.ts
var backends = { memory: memoryBackend, binaries: binariesBackend, kubeconfig: kubeconfigBackend };
async function createTestEnvironment(options = {}) {
  const resolved = resolveOptions(options);
  return new RunningEnvironment(await backends[resolved.use](resolved), resolved);
}
async function binariesBackend(options) {
  const plane = await ControlPlane.create(options);
  const addUser = async ({ name, groups = [] }) => {
    const cluster = await plane.clusterOf(name, groups);
    return { name, cluster, kubeconfig: kubeconfigText(name, cluster) };
  };
  return {
    kind: 'binaries',
    admin: await addUser({ name: 'admin', groups: ['system:masters'] }),
    addUser,
    logs: () => plane.logs(),
    controls: plane,
    accesses: void 0,
    stop: () => plane.end(),
  };
}
async function kubeconfigBackend({ kubeconfig }) {
  const cluster = await loadCluster({ file: kubeconfig });
  return {
    kind: 'kubeconfig',
    admin: { name: 'admin', cluster, kubeconfig: await readFile3(kubeconfig, 'utf8') },
    async addUser({ name }) {
      throw new EnvtestError('USERS_NOT_SUPPORTED', { user: name });
    },
    logs: () => ({}),
    controls: void 0,
    accesses: void 0,
    stop: () => Promise.resolve(),
  };
}
async function memoryBackend({ port, controllers }) {
  const { certificate: clientCa } = await CertificateAuthority.create();
  const server = await createApiServer({
    port,
    authorizationMode: 'RBAC',
    tls: true,
    clientCa,
    controllers,
    serviceClusterIpRange: '10.0.0.0/24',
  });
  const addUser = async ({ name, groups = [] }) => {
    const cluster = server.addUser({ name, groups });
    return { name, cluster, kubeconfig: kubeconfigText(name, cluster) };
  };
  return {
    kind: 'memory',
    admin: await addUser({ name: 'admin', groups: ['system:masters'] }),
    addUser,
    logs: () => ({}),
    controls: new MemoryControls(server),
    accesses: server,
    stop: () => server.close(),
  };
}

// packages/envtest/src/permissions/bind-roles.ts
var apiGroup = 'rbac.authorization.k8s.io';
var apiVersion2 = `${apiGroup}/v1`;
function bindRoles({ clusterRoles, roles }, account) {
  const { namespace, name } = account;
  const subjects = [{ kind: 'ServiceAccount', namespace, name }];
  return {
    clusterRoleBindings: clusterRoles.map(({ metadata: { name: role = '' } = {} }) => {
      const roleRef = { apiGroup, kind: 'ClusterRole', name: role };
      return {
        apiVersion: apiVersion2,
        kind: 'ClusterRoleBinding',
        metadata: { name: role },
        roleRef,
        subjects,
      };
    }),
    roleBindings: roles.map(({ metadata: { name: role = '', namespace: place = '' } = {} }) => {
      const roleRef = { apiGroup, kind: 'Role', name: role };
      const metadata = { name: role, namespace: place };
      return { apiVersion: apiVersion2, kind: 'RoleBinding', metadata, roleRef, subjects };
    }),
  };
}

// packages/envtest/src/permissions/roles-yaml.ts
async function rolesYaml(objects) {
  const { dump } = await import('js-yaml');
  const { clusterRoles = [], roles = [], clusterRoleBindings = [], roleBindings = [] } = objects;
  const all = [...clusterRoles, ...roles, ...clusterRoleBindings, ...roleBindings];
  return all.map((object) => dump(object, { noRefs: true, lineWidth: -1 })).join('---\n');
}
export {
  EnvtestError,
  bindRoles,
  createTestEnvironment,
  envtestErrors,
  readRecordedRoles,
  readRoles,
  recordRolesVariable,
  rolesYaml,
  until,
};
//# sourceMappingURL=index.js.map
