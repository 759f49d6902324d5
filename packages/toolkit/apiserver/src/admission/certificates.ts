import { asJson, jsonEquals, type JsonObject } from '@keelson/structural-schema';
import type { ResourceAttributes } from '../auth/authorizer.ts';
import { objectAt, objectsAt, textAt } from '../json/json-members.ts';
import { parseCertificateRequest } from '../kinds/certificates/certificate-request.ts';
import { mastersGroup } from '../auth/user.ts';
import { type AdmissionPlugin, type AdmissionRequest, refused } from './admission-plugin.ts';

/** Decides whether a requester may approve or sign the requests of a signer. */
export interface SignerAccess {
  allowsSigner(requester: ResourceAttributes, verb: 'approve' | 'sign', signer: string): boolean;
}

/** Requires the verb `approve` on the signer for writes of `/approval`. */
export function certificateApproval(access: SignerAccess): AdmissionPlugin {
  return {
    validate(request) {
      if (!isRequestWrite(request, 'approval')) return;
      checkSigner(access, request, 'approve');
    },
  };
}

/** Requires the verb `sign` on the signer for writes of `/status` that change a condition or the certificate. */
export function certificateSigning(access: SignerAccess): AdmissionPlugin {
  return {
    validate(request) {
      if (!isRequestWrite(request, 'status')) return;
      const [next, before] = [statusOf(request.object), statusOf(request.old)];
      const isSame =
        textAt(next, 'certificate') === textAt(before, 'certificate') &&
        jsonEquals(objectsAt(next, 'conditions'), objectsAt(before, 'conditions'));
      if (!isSame) checkSigner(access, request, 'sign');
    },
  };
}

const clientSigner = 'kubernetes.io/kube-apiserver-client';

/** Rejects requests for client certificates of the group `system:masters`. */
export function certificateSubjectRestriction(): AdmissionPlugin {
  return {
    validate(request) {
      if (request.old !== undefined || !isRequestWrite(request, '')) return;
      const spec = objectAt(asJson(request.object), 'spec');
      if (textAt(spec, 'signerName') !== clientSigner) return;
      const pem = Buffer.from(textAt(spec, 'request'), 'base64').toString();
      if (!parseCertificateRequest(pem).organizations.includes(mastersGroup)) return;
      const why = `use of ${clientSigner} signer with ${mastersGroup} group is not allowed`;
      throw refused(request, why);
    },
  };
}

function isRequestWrite({ resource, scope }: AdmissionRequest, part: string): boolean {
  const { group, plural } = resource.store;
  return (
    scope === part && group === 'certificates.k8s.io' && plural === 'certificatesigningrequests'
  );
}

function statusOf(object: object | undefined): JsonObject {
  return object === undefined ? {} : objectAt(asJson(object), 'status');
}

/** Checks the signer of the stored request, because an update cannot change it. */
function checkSigner(
  access: SignerAccess,
  request: AdmissionRequest,
  verb: 'approve' | 'sign',
): void {
  const { requester, old } = request;
  if (requester === undefined || old === undefined) return;
  const signer = textAt(objectAt(asJson(old), 'spec'), 'signerName');
  if (access.allowsSigner(requester, verb, signer)) return;
  const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`;
  throw refused(request, why);
}
