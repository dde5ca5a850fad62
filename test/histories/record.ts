import { LIFECYCLE_KINDS } from '../../src/domain/licensing.ts';
import { tellAgain } from '../model/kit/life-story.ts';
import {
  recordShape,
  recordStory,
  recordedShape,
  recordedStories,
  throughJson,
} from '../model/kit/recorded.ts';
import { shapeOf } from '../model/kit/shape.ts';
import { LIVES, storyOf } from './lives.ts';

/*
 * Records shapes of machines and the lives of `lives.ts` that are not recorded yet. Existing records are never
 * overwritten: delete a file to have it recorded again. See README.md.
 */

for (const kind of LIFECYCLE_KINDS) {
  const shape = shapeOf(kind);
  if (recordedShape(kind, shape.version) !== undefined) continue;
  recordShape(shape);
  console.log(`recorded version ${shape.version} of ${kind}`);
}

const known = new Set(recordedStories());
for (const life of LIVES.filter(({ name }) => !known.has(name))) {
  const story = throughJson(await storyOf(life));
  tellAgain(story);
  recordStory(story);
  console.log(`recorded ${story.name}: ${story.steps.length} steps`);
}
