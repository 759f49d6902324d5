import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkPortName } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import {
  atLeastZero,
  type FieldValidator,
  type OrderedRules,
  validName,
  validPort,
} from '../../schema/validation-rule.ts';

/** In the order in which kube-apiserver validates them. */
const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

/** Ordered validation rules of a container and its parts. */
export const containerOrders: OrderedRules = {
  'core.v1.Container': validateContainer,
  'core.v1.EphemeralContainer': validateContainer,
  'core.v1.ContainerPort': (port, path, fields) => [
    ...validName(checkPortName, port.name, childPath(path, 'name')),
    ...(Number(port.containerPort ?? 0) === 0
      ? [required(childPath(path, 'containerPort'))]
      : validPort(port.containerPort, childPath(path, 'containerPort'))),
    ...(port.hostPort === 0 ? [] : validPort(port.hostPort, childPath(path, 'hostPort'))),
    ...fields.validate('protocol'),
  ],
  'core.v1.Probe': (probe, path) => [
    ...validateHandler(probe, path),
    ...atLeastZero(probe, path, 'initialDelaySeconds', 'timeoutSeconds', 'periodSeconds'),
    ...atLeastZero(probe, path, 'successThreshold', 'failureThreshold'),
    ...validateGrace(probe, path),
  ],
  'core.v1.LifecycleHandler': validateHandler,
};

function validateContainer(
  container: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
): StatusCause[] {
  return [
    ...fields.validate('name'),
    ...validName(checkDnsLabel, container.name, childPath(path, 'name')),
    ...(textAt(container, 'image') === '' ? [required(childPath(path, 'image'))] : []),
    ...validateMessagePolicy(container, path),
    ...withRepeatedNames(container, childPath(path, 'ports'), fields.validate('ports')),
    ...fields.validate('env', 'envFrom', 'volumeMounts', 'volumeDevices', 'imagePullPolicy'),
    ...fields.validate('lifecycle', 'livenessProbe'),
    ...onlyOneSuccess(container, path, 'livenessProbe'),
    ...fields.validate('readinessProbe'),
    ...graceOfReadiness(container, path),
    ...fields.validate('startupProbe'),
    ...onlyOneSuccess(container, path, 'startupProbe'),
    ...fields.others(...ownRules),
  ];
}

function validateMessagePolicy(container: JsonObject, path: FieldPath): StatusCause[] {
  const policy = textAt(container, 'terminationMessagePolicy');
  const allowed = ['File', 'FallbackToLogsOnError'];
  return policy === '' || allowed.includes(policy)
    ? []
    : [notSupported(childPath(path, 'terminationMessagePolicy'), policy, allowed)];
}

/** Fields with rules that need the pod, see `validateContainers`. */
const ownRules = [
  'terminationMessagePolicy',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'securityContext',
];

function validateGrace(probe: JsonObject, path: FieldPath): StatusCause[] {
  const { terminationGracePeriodSeconds: grace } = probe;
  if (grace === undefined || Number(grace) > 0) return [];
  const field = childPath(path, 'terminationGracePeriodSeconds');
  return [invalid(field, grace, 'must be greater than 0')];
}

/** Validates the first action only and rejects every other one. */
function validateHandler(handler: JsonObject, path: FieldPath): StatusCause[] {
  const [first, ...more] = handlers.filter((name) => handler[name] !== undefined);
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...validateAction(first, objectAt(handler, first), childPath(path, first)),
    ...more.map((name) =>
      forbidden(childPath(path, name), 'may not specify more than 1 handler type'),
    ),
  ];
}

function validateAction(name: string, action: JsonObject, path: FieldPath): StatusCause[] {
  if (name === 'exec') {
    return textsAt(action, 'command').length === 0 ? [required(childPath(path, 'command'))] : [];
  }
  if (name === 'grpc') return validPort(action.port, childPath(path, 'port'));
  if (name !== 'httpGet' && name !== 'tcpSocket') return [];
  const port = childPath(path, 'port');
  return [
    ...(name === 'httpGet' && textAt(action, 'path') === ''
      ? [required(childPath(path, 'path'))]
      : []),
    ...(typeof action.port === 'string'
      ? validName(checkPortName, action.port, port)
      : validPort(action.port, port)),
    ...(name === 'httpGet' && !schemes.includes(textAt(action, 'scheme'))
      ? [notSupported(childPath(path, 'scheme'), textAt(action, 'scheme'), schemes)]
      : []),
    ...objectsAt(action, 'httpHeaders')
      .map((header) => textAt(header, 'name'))
      .filter((header) => !/^[-A-Za-z0-9]+$/.test(header))
      .map((header) => invalid(childPath(path, 'httpHeaders'), header, headerDetail)),
  ];
}

const schemes = ['HTTP', 'HTTPS'];

const headerDetail =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/** `successThreshold` must be 1 for liveness and startup probes. */
function onlyOneSuccess(container: JsonObject, path: FieldPath, name: string): StatusCause[] {
  const threshold = objectAt(container, name).successThreshold;
  if (container[name] === undefined || threshold === undefined || threshold === 1) return [];
  return [invalid(childPath(path, `${name}.successThreshold`), threshold, 'must be 1')];
}

/** Readiness probes end no container, so they have no grace period. */
function graceOfReadiness(container: JsonObject, path: FieldPath): StatusCause[] {
  const { terminationGracePeriodSeconds: grace } = objectAt(container, 'readinessProbe');
  if (grace === undefined) return [];
  const field = childPath(path, 'readinessProbe.terminationGracePeriodSeconds');
  return [invalid(field, grace, 'must not be set for readinessProbes')];
}

/** Adds the repeated names of the ports to their other causes. Only a valid name counts. */
function withRepeatedNames(
  container: JsonObject,
  path: FieldPath,
  causes: readonly StatusCause[],
): StatusCause[] {
  const taken = new Set<string>();
  return objectsAt(container, 'ports').flatMap((port, index) => {
    const place = indexPath(path, index);
    const field = childPath(place, 'name');
    const own = causes.filter((cause) => cause.field?.startsWith(place) === true);
    const ofName = own.filter((cause) => cause.field === field);
    const others = own.filter((cause) => cause.field !== field);
    const name = textAt(port, 'name');
    if (name === '' || ofName.length > 0) return own;
    if (taken.has(name)) return [duplicate(field, name), ...others];
    taken.add(name);
    return own;
  });
}
