import { objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkPortName, checkQualifiedName } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { presentName, validName, validPort } from '../../schema/validation-rule.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];

/** Validates each port of a Service. */
export function validateServicePorts(spec: JsonObject): StatusCause[] {
  const ports = objectsAt(spec, 'ports');
  const names = ports.map((port) => textAt(port, 'name'));
  return ports.flatMap((port, index) => {
    const path = indexPath('spec.ports', index);
    const name = names[index] ?? '';
    const isRepeated = name !== '' && names.indexOf(name) < index;
    const field = childPath(path, 'name');
    return [
      ...(name === '' && ports.length > 1 ? [required(field)] : []),
      ...validName(checkDnsLabel, name, field),
      ...(isRepeated ? [duplicate(field, name)] : []),
      ...validatePort(port, path),
    ];
  });
}

function validatePort(port: JsonObject, path: FieldPath): StatusCause[] {
  const protocol = textAt(port, 'protocol');
  const target = childPath(path, 'targetPort');
  return [
    ...validPort(port.port ?? 0, childPath(path, 'port')),
    ...(protocols.includes(protocol)
      ? []
      : [notSupported(childPath(path, 'protocol'), protocol, protocols)]),
    ...(typeof port.targetPort === 'string'
      ? checkPortName(port.targetPort).map((detail) => invalid(target, port.targetPort, detail))
      : validPort(port.targetPort, target)),
    ...presentName(checkQualifiedName, port.appProtocol, childPath(path, 'appProtocol')),
  ];
}
