import { LIFECYCLE_KINDS } from '../../src/domain/lifecycle.ts';
import { recordShape, recordedShape } from '../model/kit/recorded.ts';
import { shapeOf } from '../model/kit/shape.ts';

/*
 * Records what later versions are held against; see README.md. What is there already is never written again: delete a
 * file to have it recorded anew.
 *
 *   node test/histories/record.ts shapes
 */

for (const kind of LIFECYCLE_KINDS) {
  const shape = shapeOf(kind);
  if (recordedShape(kind, shape.version) !== undefined) continue;
  recordShape(shape);
  console.log(`recorded version ${shape.version} of ${kind}`);
}
