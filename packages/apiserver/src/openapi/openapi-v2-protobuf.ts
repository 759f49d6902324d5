import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import { openApiPaths, type PathResource } from './openapi-paths.ts';

/** The only form in which Go clients ask for `/openapi/v2`. */
export const openApiV2MediaType = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/** What the answer calls itself: an `@` is no part of a media type that Go would read. */
export const openApiV2ContentType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

interface Operation {
  parameters: { name: string; in: string; type: string }[];
  'x-kubernetes-group-version-kind': object;
}

/**
 * The Swagger document in the protobuf of gnostic's `OpenAPIv2.proto`, with the PATCH of every object
 * and nothing else: that is where kubectl looks whether a server validates fields and knows dry runs,
 * when it meets a List, whose kind no document of OpenAPI 3 has.
 */
export async function openApiV2Protobuf(
  resources: readonly PathResource[],
  kubernetesVersion: string,
): Promise<Buffer> {
  const { BinaryWriter: Writer } = await import('@bufbuild/protobuf/wire');
  const writer = new Writer();
  text(writer, 1, '2.0');
  message(writer, 2, () => {
    text(writer, 1, 'Kubernetes');
    text(writer, 2, kubernetesVersion);
  });
  message(writer, 8, () => {
    for (const resource of resources) writePaths(writer, resource);
  });
  return Buffer.from(writer.finish());
}

function writePaths(writer: BinaryWriter, resource: PathResource): void {
  for (const [path, operations] of Object.entries(openApiPaths(resource, 2))) {
    const patch = operations['patch'] as Operation | undefined;
    if (patch === undefined) continue;
    message(writer, 2, () => {
      text(writer, 1, path);
      message(writer, 2, () => message(writer, 8, () => writeOperation(writer, patch)));
    });
  }
}

function writeOperation(writer: BinaryWriter, operation: Operation): void {
  for (const { name, in: place, type } of operation.parameters) {
    // ParametersItem, Parameter and NonBodyParameter around the parameter of a query.
    message(writer, 8, () =>
      message(writer, 1, () =>
        message(writer, 2, () =>
          message(writer, 3, () => {
            text(writer, 2, place);
            text(writer, 4, name);
            text(writer, 6, type);
          }),
        ),
      ),
    );
  }
  const extension = 'x-kubernetes-group-version-kind';
  message(writer, 13, () => {
    text(writer, 1, extension);
    // The value of an extension is YAML, of which JSON is a part.
    message(writer, 2, () => text(writer, 2, JSON.stringify(operation[extension])));
  });
}

function message(writer: BinaryWriter, field: number, write: () => void): void {
  lengthDelimited(writer, field).fork();
  write();
  writer.join();
}

function text(writer: BinaryWriter, field: number, value: string): void {
  lengthDelimited(writer, field).string(value);
}

/** The tag of a field whose length stands before it. */
function lengthDelimited(writer: BinaryWriter, field: number): BinaryWriter {
  return writer.uint32((field << 3) | 2);
}
