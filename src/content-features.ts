import * as bulkOperations from './bulk/operations.ts';
import * as contentOperations from './content/operations.ts';
import { contentPersonalData } from './content/personal-data.ts';
import { contentTables } from './content/tables.ts';
import * as draftOperations from './drafts/operations.ts';
import { draftPersonalData } from './drafts/personal-data.ts';
import * as feedOperations from './feeds/operations.ts';
import { labelsBacklog } from './labels/count.ts';
import * as labelOperations from './labels/operations.ts';
import { labelTables } from './labels/tables.ts';
import { type Feature, routesOf } from './listed-feature.ts';
import * as listOperations from './lists/operations.ts';
import { contentBacklog } from './search/index-words.ts';
import * as searchOperations from './search/operations.ts';
import * as slugOperations from './slugs/operations.ts';
import * as trashOperations from './trash/operations.ts';
import { trashPersonalData } from './trash/personal-data.ts';
import * as versionOperations from './versions/operations.ts';
import { versionPersonalData } from './versions/personal-data.ts';

/** Content items, how they are found and what becomes of them. */
export const CONTENT_FEATURES: readonly Feature[] = [
  {
    name: 'content',
    tables: contentTables,
    operations: Object.values(contentOperations),
    personalData: contentPersonalData,
    open: async (parts) => (await import('./content/feature.ts')).openContent(parts),
  },
  {
    name: 'previews',
    open: routesOf(async () => (await import('./previews/routes.ts')).previewRoutes),
  },
  {
    name: 'search',
    operations: Object.values(searchOperations),
    backlogs: [contentBacklog],
    open: async (parts) => (await import('./search/feature.ts')).openSearch(parts),
  },
  {
    name: 'lists',
    operations: Object.values(listOperations),
    open: async (parts) => (await import('./lists/feature.ts')).openLists(parts),
  },
  {
    name: 'feeds',
    operations: Object.values(feedOperations),
    open: async (parts) => (await import('./feeds/feature.ts')).openFeeds(parts),
  },
  {
    name: 'bulk',
    operations: Object.values(bulkOperations),
    open: routesOf(async () => (await import('./bulk/routes.ts')).bulkRoutes),
  },
  {
    name: 'versions',
    operations: Object.values(versionOperations),
    personalData: versionPersonalData,
    open: async (parts) => (await import('./versions/feature.ts')).openVersions(parts),
  },
  {
    name: 'slugs',
    operations: Object.values(slugOperations),
    open: async (parts) => (await import('./slugs/feature.ts')).openSlugs(parts),
  },
  {
    name: 'drafts',
    operations: Object.values(draftOperations),
    personalData: draftPersonalData,
    open: async (parts) => (await import('./drafts/feature.ts')).openDrafts(parts),
  },
  {
    name: 'trash',
    operations: Object.values(trashOperations),
    personalData: trashPersonalData,
    open: async (parts) => (await import('./trash/feature.ts')).openTrash(parts),
  },
  {
    name: 'labels',
    tables: labelTables,
    operations: Object.values(labelOperations),
    backlogs: [labelsBacklog],
    open: async (parts) => (await import('./labels/feature.ts')).openLabels(parts),
  },
];
