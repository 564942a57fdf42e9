/** What joins the parts of an address of the web, a mailbox or a file server. */
const JOINS = /[.\u3002@:\\]/;

/**
 * A name so that no mail program makes a link of it: `www[.]example[.]com`, as reports of abuse write such addresses
 * ("defanged"). A character beyond ASCII that browsers read as one of these joins too, so each is looked at as NFKC has it.
 * What white space follows joins nothing; a template may go on right behind the name.
 */
export function unlinked(name: string): string {
  return name.replace(/\S(?!\s)/gu, (each) => (JOINS.test(each.normalize('NFKC')) ? `[${each}]` : each));
}
