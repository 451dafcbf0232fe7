// Generated from the OpenAPI document by `bun test/support/data/client_types.ts`. Do not edit.
export interface paths {
  "/api/{segment}/{id}/export/{format}": {
    /**
     * @description Exports an item whose kind or format is added by a plugin.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["exports-read"];
  };
  "/api/attachments": {
    /** @description Lists the attachments of pages that are visible to you. */
    get: operations["attachments-list"];
    /**
     * @description Attaches a file or a link to a page. A file needs a multipart/form-data request; if both are sent, the link is used.
     *     Needs the permissions to create attachments and to update the page.
     */
    post: operations["attachments-create"];
  };
  "/api/attachments/{id}": {
    /**
     * @description Reads an attachment. Its content is the link, or the file as base64.
     *     The links lead to the file or link itself, for use in HTML and Markdown.
     */
    get: operations["attachments-read"];
    /**
     * @description Changes an attachment; fields that are not sent stay. A file or link replaces the present file or link, and uploaded_to moves the attachment to another page.
     *     To send a file, use POST with multipart/form-data and the field _method set to PUT.
     */
    put: operations["attachments-update"];
    /** @description Permanently removes an attachment and its file. */
    delete: operations["attachments-delete"];
  };
  "/api/audit-log": {
    /**
     * @description Lists what happened: who did what to which item, when and from which address.
     *     Requires the permissions to manage settings and users.
     */
    get: operations["audit-log-list"];
  };
  "/api/audit-log/types": {
    /** @description Lists the types of rows in the log. */
    get: operations["audit-log-types"];
  };
  "/api/books": {
    /** @description Lists the books visible to you. */
    get: operations["books-list"];
    /**
     * @description Creates a book. A cover image is sent as a file named "image" in a multipart/form-data request.
     *     Where both are sent, the description in HTML wins over the plain one.
     */
    post: operations["books-create"];
  };
  "/api/books/{id}": {
    /** @description Reads a book with its contents: chapters and pages visible to you, in order, each with its type and address. The pages of a chapter are within the chapter. */
    get: operations["books-read"];
    /** @description Changes a book; fields that are not sent stay. A cover image is sent as a file named "image" in a multipart/form-data POST request with the parameter _method set to PUT; a null image removes the cover. */
    put: operations["books-update"];
    /** @description Moves a book into the recycle bin, and the chapters and pages in it along with it. */
    delete: operations["books-delete"];
  };
  "/api/books/{id}/export/html": {
    /**
     * @description Exports as one self-contained HTML file: styles and images are embedded, so that it opens offline.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["books-export-html"];
  };
  "/api/books/{id}/export/markdown": {
    /**
     * @description Exports as Markdown: the source of what was written in Markdown, the rest converted from HTML.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["books-export-markdown"];
  };
  "/api/books/{id}/export/pdf": {
    /**
     * @description Exports as PDF, with an outline, and each page on a new sheet. Answers 501 where no PDF engine is installed.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["books-export-pdf"];
  };
  "/api/books/{id}/export/plaintext": {
    /**
     * @description Exports as plain text.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["books-export-plain-text"];
  };
  "/api/books/{id}/export/zip": {
    /**
     * @description Exports as a portable ZIP file with attachments and images, which this or another instance can import.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["books-export-zip"];
  };
  "/api/books/{id}/order": {
    /**
     * @description Sorts the chapters and pages of a book, all at once or not at all. An addition to BookStack's API.
     *     items lists chapters and pages directly in the book in their new order: type (chapter or page) and id. A chapter can list pages: the ids of its pages, in order; pages can come from the book or from its other chapters.
     *     Items that are not listed stay after the item that they follow now. Items that you may not update keep their order relative to each other. Moving a page between chapters needs the same permissions as moving it by an update.
     */
    put: operations["books-order"];
  };
  "/api/chapters": {
    /** @description Lists the chapters visible to you. */
    get: operations["chapters-list"];
    /**
     * @description Creates a chapter in a book.
     *     Where both are sent, the description in HTML wins over the plain one. Without a priority the chapter is added at the end of the book.
     */
    post: operations["chapters-create"];
  };
  "/api/chapters/{id}": {
    /** @description Reads a chapter with the pages in it that are visible to you, in order. */
    get: operations["chapters-read"];
    /** @description Changes a chapter; fields that are not sent stay. Another book_id moves the chapter and its pages into that book, which needs the permissions to delete the chapter and to create chapters there. */
    put: operations["chapters-update"];
    /** @description Moves a chapter into the recycle bin, and the pages in it along with it. */
    delete: operations["chapters-delete"];
  };
  "/api/chapters/{id}/export/html": {
    /**
     * @description Exports as one self-contained HTML file: styles and images are embedded, so that it opens offline.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["chapters-export-html"];
  };
  "/api/chapters/{id}/export/markdown": {
    /**
     * @description Exports as Markdown: the source of what was written in Markdown, the rest converted from HTML.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["chapters-export-markdown"];
  };
  "/api/chapters/{id}/export/pdf": {
    /**
     * @description Exports as PDF, with an outline, and each page on a new sheet. Answers 501 where no PDF engine is installed.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["chapters-export-pdf"];
  };
  "/api/chapters/{id}/export/plaintext": {
    /**
     * @description Exports as plain text.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["chapters-export-plain-text"];
  };
  "/api/chapters/{id}/export/zip": {
    /**
     * @description Exports as a portable ZIP file with attachments and images, which this or another instance can import.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["chapters-export-zip"];
  };
  "/api/comments": {
    /** @description Lists the comments on pages that are visible to you, without their content. */
    get: operations["comments-list"];
    /**
     * @description Adds a comment to a page. reply_to is the local_id of the comment it replies to, which is on the same page.
     *     content_ref names the range of the page that is commented on, as the editor writes it; any other value is dropped.
     */
    post: operations["comments-create"];
  };
  "/api/comments/{id}": {
    /** @description Reads a comment with the direct replies to it. */
    get: operations["comments-read"];
    /** @description Changes the content of a comment, archives it or takes it out of the archive. Only comments that reply to no other can be archived; send archived only to change it. */
    put: operations["comments-update"];
    /** @description Permanently removes a comment. Replies to it stay. */
    delete: operations["comments-delete"];
  };
  "/api/content-permissions/{contentType}/{contentId}": {
    /**
     * @description Shows the overrides set on one item: its owner, the permissions of roles, and the fallback for all other roles. contentType is one of page, book, chapter, bookshelf.
     *     Overrides set on the item's parents, and the permissions in force, are not included.
     */
    get: operations["content-permissions-read"];
    /**
     * @description Changes the overrides of one item. They take effect immediately, for the item and everything below it. Fields that are not sent are unchanged: owner_id, role_permissions and fallback_permissions are updated independently.
     *     role_permissions replaces all entries of roles; an empty list removes them. fallback_permissions applies to all roles without an entry; while inheriting is true, its four values are ignored.
     */
    put: operations["content-permissions-update"];
  };
  "/api/content-permissions/roles": {
    /** @description Lists the roles that overrides may name, sorted by name. Requires the permission to manage the permissions of items, not the one to manage roles. Overrides do not restrict administrators, so their role is not included. */
    get: operations["content-permissions-roles"];
  };
  "/api/docs": {
    /** @description Loads the page of the API with all endpoints. */
    get: operations["docs-display"];
  };
  "/api/docs.json": {
    /** @description Loads a JSON view of the API description data. */
    get: operations["docs-json"];
  };
  "/api/docs/try": {
    /** @description Loads a page to try requests. */
    get: operations["docs-try"];
  };
  "/api/drafts/{kind}/{id}": {
    /**
     * @description Shows your draft of a page (kind page), or of a new page in a book or chapter; null where there is none.
     *     slot and page_id distinguish several new pages in one place; drafts lists all that you have there.
     *     others lists the users who have worked on the page within the last hour without saving.
     */
    get: operations["drafts-read"];
    /**
     * @description Stores your draft, replacing the present one. A new page becomes a draft page that only you see: pictures can be uploaded to page_id, and creating a page with that draft_id publishes it.
     *     With kept_at, the updated_at of the present draft or none, it is refused with 409 where another window has stored one since, or has published or discarded that of a new page.
     */
    put: operations["drafts-save"];
    /** @description Discards your draft, with its draft page; pictures that were uploaded to it stay in the gallery. */
    delete: operations["drafts-delete"];
  };
  "/api/drafts/preview": {
    /** @description Renders HTML or Markdown as a page would show it, without saving it. Includes are not resolved. */
    post: operations["drafts-preview"];
  };
  "/api/image-gallery": {
    /** @description Lists the images and drawings of pages that are visible to you, without covers. */
    get: operations["image-gallery-list"];
    /**
     * @description Adds an image to a page, sent as a file in a multipart/form-data request. Its type is gallery or drawio, the latter for drawings made with diagrams.net, which must be PNG files.
     *     The name defaults to that of the file.
     */
    post: operations["image-gallery-create"];
  };
  "/api/image-gallery/{id}": {
    /** @description Reads an image, with the URLs of its smaller variants in thumbs and the markup to put into a page in content. A variant that could not be made is null. */
    get: operations["image-gallery-read"];
    /**
     * @description Changes the name of an image or its file; the URL stays. The file must be of the same type as the present one.
     *     To send a file, use POST with multipart/form-data and the field _method set to PUT.
     */
    put: operations["image-gallery-update"];
    /** @description Permanently removes an image and its file. Pages that show it keep a broken reference. */
    delete: operations["image-gallery-delete"];
  };
  "/api/image-gallery/{id}/data": {
    /** @description Reads the file of an image. */
    get: operations["image-gallery-read-data"];
  };
  "/api/image-gallery/unused": {
    /** @description Counts images of the gallery that no page and no kept revision shows, and lists the first hundred of them. With `ignore_revisions`, images that only revisions show are included; images younger than a day never are. */
    get: operations["image-gallery-unused"];
    /** @description Removes the images that the GET request of the same path counts, permanently. */
    delete: operations["image-gallery-deleteUnused"];
  };
  "/api/image-gallery/url/data": {
    /** @description Reads the file of an image of this instance by its URL, given as the parameter url. */
    get: operations["image-gallery-read-data-for-url"];
  };
  "/api/imports": {
    /** @description Lists uploaded ZIP files that are not yet run: your own, or all if you may manage settings. */
    get: operations["imports-list"];
    /** @description Uploads a portable ZIP file as multipart/form-data. It is validated completely and stored until it is run. */
    post: operations["imports-create"];
  };
  "/api/imports/{id}": {
    /** @description Reads a pending import, with details of the content of its ZIP file, which differ by type. */
    get: operations["imports-read"];
    /** @description Runs an import: everything in the ZIP file is created, or nothing. A chapter needs a book as its parent, a page a book or chapter. Responds with the created item and removes the import. */
    post: operations["imports-run"];
    /** @description Removes a pending import and its ZIP file. */
    delete: operations["imports-delete"];
  };
  "/api/maintenance/recycle-bin": {
    /** @description Permanently removes everything in the recycle bin, and returns the number of items. Entries of kinds whose plugin is not installed stay, and are counted in `kept_count`. */
    delete: operations["recycle-bin-empty"];
  };
  "/api/openapi.json": {
    /** @description Loads the OpenAPI 3.1 document of this API. */
    get: operations["docs-openapi"];
  };
  "/api/pages": {
    /** @description Lists the pages visible to you. */
    get: operations["pages-list"];
    /**
     * @description Creates a page in a book or, where chapter_id is given, in a chapter. Either html or markdown is required; Markdown wins where both are sent.
     *     HTML should keep to a single level of plain blocks. Pictures given as base64 data URIs become gallery images.
     *     With draft_id, the page_id of a draft of yours, that draft page is published instead: it keeps its id and pictures.
     */
    post: operations["pages-create"];
  };
  "/api/pages/{id}": {
    /** @description Reads a page. Its html is ready to show, with includes resolved; raw_html is the content as stored. */
    get: operations["pages-read"];
    /**
     * @description Changes a page; fields that are not sent stay. A book_id or chapter_id other than the present parent moves the page there, if you may delete it and create pages there.
     *     With base_revision, the revision_count that the change starts from, it is refused with 409 where the page has another one since.
     */
    put: operations["pages-update"];
    /** @description Moves a page into the recycle bin. */
    delete: operations["pages-delete"];
  };
  "/api/pages/{id}/export/html": {
    /**
     * @description Exports as one self-contained HTML file: styles and images are embedded, so that it opens offline.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["pages-export-html"];
  };
  "/api/pages/{id}/export/markdown": {
    /**
     * @description Exports as Markdown: the source of what was written in Markdown, the rest converted from HTML.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["pages-export-markdown"];
  };
  "/api/pages/{id}/export/pdf": {
    /**
     * @description Exports as PDF, with an outline, and each page on a new sheet. Answers 501 where no PDF engine is installed.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["pages-export-pdf"];
  };
  "/api/pages/{id}/export/plaintext": {
    /**
     * @description Exports as plain text.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["pages-export-plain-text"];
  };
  "/api/pages/{id}/export/zip": {
    /**
     * @description Exports as a portable ZIP file with attachments and images, which this or another instance can import.
     *     It contains only what you may see. The response is a file.
     */
    get: operations["pages-export-zip"];
  };
  "/api/pages/{id}/revisions": {
    /**
     * @description Lists the revisions kept of a page, without their content. `number` is the revision_count the page had then.
     *     Only changes of the name or the content make a revision.
     */
    get: operations["pages-revisions"];
  };
  "/api/pages/{id}/revisions/{revisionId}": {
    /** @description Reads a revision of a page. Its html is sanitised, with includes as they are now; raw_html, markdown and text are the content as it was stored. */
    get: operations["pages-revision"];
    /** @description Deletes a revision of a page, but not the latest one. Needs the permission to delete the page. */
    delete: operations["pages-deleteRevision"];
  };
  "/api/pages/{id}/revisions/{revisionId}/restore": {
    /** @description Restores the name and content that a page had in a revision, as a change that makes a revision of its own. Needs the permission to update the page. */
    post: operations["pages-restoreRevision"];
  };
  "/api/password/email": {
    /** @description Requests a message with a link to choose a new password. The answer is the same for unknown e-mail addresses. */
    post: operations["password-email"];
  };
  "/api/password/reset/{token}": {
    /** @description Sets a new password by the token of a reset message. A token can be used once; the account's sessions end. */
    post: operations["password-reset"];
  };
  "/api/people/{slug}": {
    /** @description Shows the name of a user by the slug that answers contain. */
    get: operations["people-read"];
  };
  "/api/recycle-bin": {
    /**
     * @description Lists the entries of the recycle bin, each with its item. Pages and chapters have a parent, chapters and books the numbers of items in them.
     *     Needs the permissions to manage settings and to manage permissions of content.
     */
    get: operations["recycle-bin-list"];
  };
  "/api/recycle-bin/{id}": {
    /** @description Restores an item with everything in it, and returns the number of items. While the item's parent is in the recycle bin, nothing is restored: the entry is removed, and the item is restored with its parent. */
    put: operations["recycle-bin-restore"];
    /** @description Permanently removes an item with everything in it, and returns the number of items. */
    delete: operations["recycle-bin-destroy"];
  };
  "/api/register/invite/{token}": {
    /** @description Accepts an invitation by its token: sets the password of the invited account. A token can be used once. */
    post: operations["register-acceptInvite"];
  };
  "/api/roles": {
    /** @description Lists the roles with their numbers of users and permissions. */
    get: operations["roles-list"];
    /** @description Creates a role. Permissions are given by name; unknown names are ignored. */
    post: operations["roles-create"];
  };
  "/api/roles/{id}": {
    /** @description Shows a role with its permissions and users. */
    get: operations["roles-read"];
    /**
     * @description Updates a role. A list of permissions replaces the existing ones; an empty list removes all.
     *     Only users who have the system role Admin may update it.
     */
    put: operations["roles-update"];
    /** @description Deletes a role; its users lose it. The built-in roles cannot be deleted. */
    delete: operations["roles-delete"];
  };
  "/api/search": {
    /**
     * @description Searches shelves, books, chapters and pages visible to you, the best results first.
     *     Words match the beginnings of words; "exact text", [tag=value] and {filter:value} narrow the search, and a minus before one of these negates it. Case and accents make no difference.
     *     A word with signs, such as R&D, C++, e-mail or node.js, is found where it stands so, and not where only its parts do. Words that contain one of , ! ? : ; ( ) [ ] { } < > ' " or a backtick are exact texts. Dots, dashes and asterisks at the end of a word are ignored.
     *     Items whose name is the query come first, books and chapters before pages.
     *     An exact text is found where it begins with a word; if there is no such match, it is searched within words as well, unless there are very many items.
     *     If more items match than are ranked, `total` is a lower bound, and `total_is_lower_bound` is present and true; rare words among common ones then count most.
     *     The first 200,000 characters of an item's text and of its tags are searched. A run of letters and digits longer than 100 characters counts as several words.
     */
    get: operations["search-all"];
  };
  "/api/session": {
    /** @description Shows the signed-in user with their permissions. */
    get: operations["session-read"];
    /** @description Signs in with e-mail address and password, and sets the cookie of a new session. Where a plugin requires a further step, answers 202 with that step and starts no session. */
    post: operations["session-create"];
    /** @description Signs out: ends the session and deletes its cookie. */
    delete: operations["session-delete"];
  };
  "/api/shelves": {
    /** @description Lists the shelves visible to you. */
    get: operations["shelves-list"];
    /**
     * @description Creates a shelf. The ids in books are put onto it in the order given. A cover image is sent as a file named "image" in a multipart/form-data request.
     *     Where both are sent, the description in HTML wins over the plain one.
     */
    post: operations["shelves-create"];
  };
  "/api/shelves/{id}": {
    /** @description Reads a shelf with the books on it that are visible to you, in order. */
    get: operations["shelves-read"];
    /** @description Changes a shelf; fields that are not sent stay. Given books replace those on the shelf. A cover image is sent as a file named "image" in a multipart/form-data POST request with the parameter _method set to PUT; a null image removes the cover. */
    put: operations["shelves-update"];
    /** @description Moves a shelf into the recycle bin. The books on it stay. */
    delete: operations["shelves-delete"];
  };
  "/api/system": {
    /** @description Reads details about the instance. Some values may be null. */
    get: operations["system-read"];
  };
  "/api/system/facts": {
    /** @description Shows versions, the store, waiting jobs and the start time of the server. */
    get: operations["system-facts"];
  };
  "/api/system/faults": {
    /** @description Lists parts of plugins that failed and were left out of screens and answers since this process started, the latest first. */
    get: operations["system-faults"];
  };
  "/api/system/files": {
    /** @description Counts stored files older than a day that no row refers to, and lists the first hundred of them. They are not deleted: the command `files sweep` does that. */
    get: operations["system-files"];
  };
  "/api/system/jobs": {
    /** @description Lists jobs that failed in all of their attempts. */
    get: operations["system-deadJobs"];
    /** @description Deletes failed jobs: those with the given ids, or all. */
    delete: operations["system-deleteJobs"];
  };
  "/api/system/jobs/retry": {
    /** @description Retries failed jobs: those with the given ids, or all. Jobs that are queued again already are left out. */
    post: operations["system-retryJobs"];
  };
  "/api/system/plugins": {
    /** @description Lists the plugins in boot order with their grants and boot times. */
    get: operations["system-plugins"];
  };
  "/api/tags/names": {
    /** @description Lists the names of tags on what you see, and how often each is used. Names that differ in case and accents alone are one. Filters apply to the name; any field sorts. */
    get: operations["tags-list-names"];
  };
  "/api/tags/values-for-name": {
    /** @description Lists the values of tags of a name, and how often each is used. Values that differ in case and accents alone are one. Filters apply to the value; any field sorts. */
    get: operations["tags-list-values"];
  };
  "/api/user-transfers": {
    /**
     * @description Lists deleted users whose content a job is still giving to the new owner, with how many items have one. Where it is
     *     little, it is done when the user is deleted and not listed.
     */
    get: operations["users-transfers"];
  };
  "/api/users": {
    /** @description Lists the users. */
    get: operations["users-list"];
    /** @description Creates a user, and on request an invitation to choose a password. */
    post: operations["users-create"];
  };
  "/api/users/{id}": {
    /** @description Shows a user with roles. */
    get: operations["users-read"];
    /**
     * @description Updates a user. A list of roles replaces the existing ones.
     *     A token with a scope cannot change passwords or e-mail addresses, nor give a role that permits more than the token.
     *     Only an administrator can give or take the system role Admin, or change the credentials of its users.
     */
    put: operations["users-update"];
    /**
     * @description Deletes a user. Another user may become the owner of their items.
     *     Only an administrator can delete a user who has the system role Admin.
     */
    delete: operations["users-delete"];
  };
  "/api/users/{id}/sessions": {
    /** @description Lists the sessions of a user. */
    get: operations["users-listSessions"];
  };
  "/api/users/{id}/sessions/{sessionId}": {
    /** @description Ends a session of a user. */
    delete: operations["users-deleteSession"];
  };
  "/api/users/{id}/tokens": {
    /** @description Lists the API tokens of a user with their scopes and when each was last used, never with their secrets. */
    get: operations["users-listTokens"];
    /**
     * @description Creates an API token for a user and shows its secret, this once: send both as `Authorization: Token token_id:secret`.
     *     A token may have a scope: `read_only` permits only GET, `permissions` names the only permissions that it can use. A token created with another token cannot exceed the scope of that token, nor expire after it.
     *     Tokens of users with the system role Admin are created, updated and revoked by such users alone.
     */
    post: operations["users-createToken"];
  };
  "/api/users/{id}/tokens/{tokenId}": {
    /** @description Updates the name of a token, or the day at whose start it expires; an empty day means in a hundred years. */
    put: operations["users-updateToken"];
    /** @description Revokes a token; it stops working immediately. */
    delete: operations["users-deleteToken"];
  };
  "/api/users/me": {
    /**
     * @description Shows the user whose credential the request carries, and the permissions that this credential grants: those of the user's roles, or fewer if a token has a scope.
     *     `via` is how the user was authenticated: token, session or guest.
     */
    get: operations["users-me"];
    /**
     * @description Updates the name, the language or the password of the user whose credential the request carries. An empty language means that of the instance. A new password requires the current one and ends all sessions of the user.
     *     Not available to tokens with a scope.
     */
    put: operations["users-updateMe"];
  };
  "/api/v1/agents/ws": {
    /** @description Holds a WebSocket open for agents that want one. No command is ever sent on it. */
    get: operations["agents-ws"];
  };
  "/api/v1/auto-enrollment/enroll": {
    /** @description Creates a host and shows its credentials, only in this answer. A known machine keeps its host and gets new ones. Headers: X-Auto-Enrollment-Key, X-Auto-Enrollment-Secret. */
    post: operations["auto-enrollment-enroll"];
  };
  "/api/v1/auto-enrollment/enroll/bulk": {
    /** @description The same for up to fifty hosts; rejected ones are listed with the reason. */
    post: operations["auto-enrollment-enroll-bulk"];
  };
  "/api/v1/auto-enrollment/script": {
    /** @description A shell script that enrols the machine it runs on (`type=direct-host`), or the containers of a Proxmox host (`type=proxmox-lxc`), and installs the reporter. Headers: X-Auto-Enrollment-Key, X-Auto-Enrollment-Secret. */
    get: operations["auto-enrollment-script"];
  };
  "/api/v1/dashboard/health": {
    /** @description Confirms that a key works, with its name. */
    get: operations["dashboard-health"];
  };
  "/api/v1/dashboard/history": {
    /** @description The numbers of active hosts over the last `days`, 30 by default: hourly for up to seven days, daily beyond, each day with its last numbers. */
    get: operations["dashboard-history"];
  };
  "/api/v1/dashboard/hosts": {
    /** @description Lists monitored hosts with their status, system and counts of packages. */
    get: operations["dashboard-hosts-list"];
    /**
     * @description Creates a host and shows its key, only in this answer. Agents send both as X-API-ID and X-API-KEY.
     *     The host is pending, and not included in any number, until its first report.
     */
    post: operations["dashboard-hosts-create"];
  };
  "/api/v1/dashboard/hosts/{id}": {
    /** @description Reads a host with its outdated packages and its repositories. */
    get: operations["dashboard-hosts-read"];
    /** @description Deletes a host and its reports. Requests of its agent are rejected. */
    delete: operations["dashboard-hosts-delete"];
    /** @description Renames a host, excludes it from all numbers (`inactive`) or includes it again (`active`). */
    patch: operations["dashboard-hosts-update"];
  };
  "/api/v1/dashboard/keys": {
    /** @description Lists the keys of dashboards and of enrolment, with their last use and last rejection, without secrets. */
    get: operations["dashboard-keys-list"];
    /**
     * @description Creates a key and shows its secret, only in this answer. Dashboards send both as Basic credentials.
     *     A key of the type `enrolment` creates hosts instead, up to a daily limit.
     */
    post: operations["dashboard-keys-create"];
  };
  "/api/v1/dashboard/keys/{id}": {
    /** @description Reads a key, without its secret. */
    get: operations["dashboard-keys-read"];
    /** @description Deletes a key. Requests that use it are rejected. */
    delete: operations["dashboard-keys-delete"];
    /**
     * @description Renames, disables or enables a key, or changes its allowed addresses and its expiry; null clears both.
     *     The change takes effect on the next request.
     */
    patch: operations["dashboard-keys-update"];
  };
  "/api/v1/dashboard/keys/{id}/snippets": {
    /** @description Snippets for the configuration of Homepage, Homarr, Glance and Prometheus, without the secret. */
    get: operations["dashboard-keys-snippets"];
  };
  "/api/v1/dashboard/metrics": {
    /** @description The statistics in the Prometheus text format. */
    get: operations["dashboard-metrics"];
  };
  "/api/v1/dashboard/numbers": {
    /** @description The extended statistics, for users who manage settings; no key is needed. */
    get: operations["dashboard-numbers"];
  };
  "/api/v1/dashboard/reporter.sh": {
    /** @description A shell script that reports the packages of a machine with apt, dnf, yum or apk; run it from cron. */
    get: operations["dashboard-reporter"];
  };
  "/api/v1/dashboard/stats": {
    /**
     * @description Statistics of all active hosts, for dashboards.
     *     Authentication is Basic, with a dashboard key and its secret.
     */
    get: operations["dashboard-stats"];
  };
  "/api/v1/dashboard/stats/extended": {
    /**
     * @description The statistics with hosts by status, versions of operating systems, distinct packages, and figures of other plugins.
     *     `stale_hosts` and the distinct counts are as of `unique_as_of`, at most a minute ago.
     */
    get: operations["dashboard-stats-extended"];
  };
  "/api/v1/dashboard/usage": {
    /**
     * @description The part of the rate limit that each address of a dashboard has used, as counted by this server.
     *     A `limit` of 0 means no limit.
     */
    get: operations["dashboard-usage"];
  };
  "/api/v1/gethomepage/health": {
    /** @description The same at PatchMon's path. */
    get: operations["dashboard-homepage-health"];
  };
  "/api/v1/gethomepage/stats": {
    /**
     * @description The same at PatchMon's path.
     *     Authentication is Basic, with a dashboard key and its secret.
     */
    get: operations["dashboard-homepage-stats"];
  };
  "/api/v1/hosts/agent/timestamp": {
    /** @description Tells agents that there is no newer version. */
    get: operations["hosts-timestamp"];
  };
  "/api/v1/hosts/agent/version": {
    /** @description Confirms that the version of an agent is current. */
    get: operations["hosts-version"];
  };
  "/api/v1/hosts/install": {
    /** @description A shell script that installs the reporter for the host of the credentials; run it as root. */
    get: operations["hosts-install"];
  };
  "/api/v1/hosts/integration-status": {
    /** @description Accepts the status of other modules of agents, without storing it. */
    post: operations["hosts-integration-status"];
  };
  "/api/v1/hosts/integrations": {
    /** @description The modules of agents, all disabled: only packages are read. */
    get: operations["hosts-integrations"];
  };
  "/api/v1/hosts/ping": {
    /** @description Records that a host is alive. Where it sends hashes of sections, the answer lists those to report again. */
    post: operations["hosts-ping"];
  };
  "/api/v1/hosts/settings": {
    /** @description Settings of agents: they must not update themselves. */
    get: operations["hosts-settings"];
  };
  "/api/v1/hosts/update": {
    /**
     * @description Stores a report of a host: packages, repositories and system, as JSON (optionally gzip) or as tab-separated lines.
     *     Credentials are the headers X-API-ID and X-API-KEY.
     */
    post: operations["hosts-report"];
  };
  "/api/v1/settings/update-interval": {
    /** @description The minutes between reports. */
    get: operations["hosts-interval"];
  };
  "/api/webhooks": {
    /** @description Lists the webhooks with the times of their last call and last error. */
    get: operations["webhooks-list"];
    /**
     * @description Creates a webhook: an address that is called when something happens. events are types of the audit log, or all; unknown ones are dropped.
     *     The answer contains the secret that calls are signed with, this once; it is generated unless it is sent.
     *     Calls carry the headers of Standard Webhooks, whose libraries accept a generated secret as it is. The key of a secret of your own that does not begin with whsec_ is the text itself; these libraries call that format raw.
     */
    post: operations["webhooks-create"];
  };
  "/api/webhooks/{id}": {
    /** @description Shows a webhook. */
    get: operations["webhooks-read"];
    /** @description Updates a webhook; fields that are not sent are unchanged. Switching it on resets its failures. */
    put: operations["webhooks-update"];
    /** @description Deletes a webhook with the log of its calls. */
    delete: operations["webhooks-delete"];
  };
  "/api/webhooks/{id}/deliveries": {
    /** @description Lists the calls of a webhook with their events, states and response statuses. */
    get: operations["webhooks-deliveries"];
  };
  "/api/webhooks/{id}/deliveries/{deliveryId}": {
    /** @description Shows a call with its request, without signatures, and the beginning of the response. */
    get: operations["webhooks-delivery"];
  };
  "/api/webhooks/{id}/deliveries/{deliveryId}/resend": {
    /** @description Repeats a call, whatever its state. Refused with 409 while the webhook is switched off. */
    post: operations["webhooks-resend"];
  };
  "/api/webhooks/events": {
    /** @description Lists the types of events that webhooks can subscribe to. */
    get: operations["webhooks-events"];
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AccountRef: {
      email: string;
      id: number;
      name: string;
      slug: string;
    };
    Activity: {
      /** Format: date-time */
      created_at: string;
      detail: string;
      id: number;
      ip: string;
      loggable_id: number | null;
      loggable_type: string | null;
      type: string;
      user: components["schemas"]["UserRef"] | null;
      user_id: number | null;
    };
    ActivityListing: {
      data: components["schemas"]["Activity"][];
      /** @description The number of all rows that match */
      total: number;
    };
    ActivityTypes: {
      data: string[];
      total: number;
    };
    /** @description Some errors have a message and further facts */
    AgentError: {
      error: string;
    } & {
      [key: string]: unknown;
    };
    AgentIntegrations: {
      integrations: {
        compliance: boolean;
        docker: boolean;
      };
      success: boolean;
    };
    AgentIntegrationStatus: {
      message: string;
      success: boolean;
    };
    AgentSettings: {
      auto_update: boolean;
      host_auto_update: boolean;
    };
    AgentTimestamp: {
      exists: boolean;
      /** Format: date-time */
      lastModified: string;
      timestamp: number;
      version: string | null;
    };
    AgentVersion: {
      autoUpdateDisabled: boolean;
      autoUpdateDisabledReason: string;
      currentVersion: string;
      hasUpdate: boolean;
      latestVersion: string;
    };
    Attachment: {
      /** @description The link, or the file as base64 */
      content: string;
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      /** @description Without a dot; "" for links */
      extension: string;
      /** @description Whether it is a link instead of a file */
      external: boolean;
      id: number;
      links: {
        html: string;
        markdown: string;
      };
      name: string;
      order: number;
      /** Format: date-time */
      updated_at: string;
      updated_by: components["schemas"]["UserRef"] | null;
      /** @description Id of the page */
      uploaded_to: number;
    };
    AttachmentListing: {
      data: components["schemas"]["AttachmentListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    AttachmentListItem: {
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      /** @description Without a dot; "" for links */
      extension: string;
      /** @description Whether it is a link instead of a file */
      external: boolean;
      id: number;
      name: string;
      order: number;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
      /** @description Id of the page */
      uploaded_to: number;
    };
    Book: {
      contents: components["schemas"]["ContentsEntry"][];
      cover: components["schemas"]["ImageListItem"] | null;
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      default_template_id: number | null;
      description: string;
      description_html: string;
      id: number;
      name: string;
      owned_by: components["schemas"]["UserRef"] | null;
      shelves: components["schemas"]["ItemRef"][];
      slug: string;
      tags: components["schemas"]["Tag"][];
      /** Format: date-time */
      updated_at: string;
      updated_by: components["schemas"]["UserRef"] | null;
    };
    BookListing: {
      data: components["schemas"]["BookListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    BookListItem: {
      cover: components["schemas"]["CoverRef"] | null;
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      description: string;
      id: number;
      name: string;
      owned_by: number | null;
      slug: string;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    BootedPlugin: {
      boot_ms: number;
      commands: string[];
      denied: string[];
      events: string[];
      grants: {
        auth?: boolean;
        columns?: {
          [key: string]: string[];
        };
        contentTables?: string[];
        env?: string[];
        files?: boolean;
        filters?: string[] | "any";
        handlers?: string[] | "any";
        impersonate?: boolean;
        jobs?: string[] | "any";
        net?: string[] | "any";
        performs?: string[] | "any";
        publicRoutes?: string[] | "any";
        read?: string[];
        routeScopes?: string[] | "any";
        schedules?: string[] | "any";
        screens?: {
          [key: string]: string | string[] | {
            all: string[];
          };
        } | "any";
        slots?: string[] | "any";
        system?: boolean;
        vetoes?: string[] | "any";
        visibilityRules?: string[] | "any";
        write?: string[];
      };
      migrated: string[];
      migrations: string[];
      name: string;
      permissions: string[];
      provides: string[];
      requires: string[];
      /** @description For plugins that have a version of their own */
      version?: string;
    };
    BootedPlugins: {
      data: components["schemas"]["BootedPlugin"][];
      total: number;
    };
    BulkEnrolment: {
      message: string;
      results: {
        failed: {
          error: string;
          friendly_name: string;
        }[];
        skipped: unknown[];
        success: components["schemas"]["EnrolledHost"][];
      };
    };
    Chapter: {
      book_id: number;
      book_slug: string;
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      default_template_id: number | null;
      description: string;
      description_html: string;
      id: number;
      name: string;
      owned_by: components["schemas"]["UserRef"] | null;
      pages: components["schemas"]["ChapterPage"][];
      priority: number;
      slug: string;
      tags: components["schemas"]["Tag"][];
      /** Format: date-time */
      updated_at: string;
      updated_by: components["schemas"]["UserRef"] | null;
    };
    ChapterListing: {
      data: components["schemas"]["ChapterListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    ChapterListItem: {
      book_id: number;
      book_slug: string;
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      description: string;
      id: number;
      name: string;
      owned_by: number | null;
      priority: number;
      slug: string;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    ChapterPage: {
      book_id: number;
      book_slug: string;
      chapter_id: number | null;
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      draft: boolean;
      editor: string;
      id: number;
      name: string;
      owned_by: number | null;
      priority: number;
      revision_count: number;
      slug: string;
      template: boolean;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    Comment: {
      archived: boolean;
      commentable_id: number;
      commentable_type: string;
      content_ref: string;
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      html: string;
      id: number;
      local_id: number;
      /** @description The local_id of the comment it replies to */
      parent_id: number | null;
      replies: components["schemas"]["SavedComment"][];
      /** Format: date-time */
      updated_at: string;
      updated_by: components["schemas"]["UserRef"] | null;
    };
    CommentListing: {
      data: components["schemas"]["CommentListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    CommentListItem: {
      commentable_id: number;
      commentable_type: string;
      content_ref: string;
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      id: number;
      local_id: number;
      /** @description The local_id of the comment it replies to */
      parent_id: number | null;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    CommentTree: {
      children: components["schemas"]["CommentTree"][];
      comment: components["schemas"]["PageComment"];
      depth: number;
    };
    ContentPermissions: {
      fallback_permissions: {
        create: boolean | null;
        delete: boolean | null;
        /** @description If true, the others are null */
        inheriting: boolean;
        update: boolean | null;
        view: boolean | null;
      };
      owner: components["schemas"]["UserRef"] | null;
      role_permissions: {
        create: boolean;
        delete: boolean;
        role: components["schemas"]["RoleRef"];
        role_id: number;
        update: boolean;
        view: boolean;
      }[];
    };
    ContentsEntry: {
      book_id: number;
      chapter_id?: number | null;
      /** Format: date-time */
      created_at?: string;
      draft?: boolean;
      id: number;
      name: string;
      pages?: components["schemas"]["NestedContentsEntry"][];
      priority: number;
      slug: string;
      template?: boolean;
      type: string;
      /** Format: date-time */
      updated_at?: string;
      url: string;
    } & {
      [key: string]: unknown;
    };
    CoverRef: {
      id: number;
      name: string;
      url: string;
    };
    CreatedDashboardKey: {
      allowed_ip_ranges: string[];
      /** @description Key and secret for Basic credentials */
      basic: string;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      expires_at: string | null;
      id: number;
      /** @enum {string} */
      integration_type: "dashboard" | "enrolment";
      is_active: boolean;
      /** Format: date-time */
      last_refused_at: string | null;
      last_refused_reason: string | null;
      /** Format: date-time */
      last_used_at: string | null;
      last_used_ip: string | null;
      max_hosts_per_day: number;
      /** @enum {string} */
      status: "active" | "inactive" | "expired";
      /** @description The part of the credentials before the colon; not secret */
      token_key: string;
      token_name: string;
      token_secret: string;
      /** Format: date-time */
      updated_at: string;
    };
    CreatedHost: {
      api_id: string;
      api_key: string;
      friendly_name: string;
      id: number;
      status: string;
    };
    CreatedToken: {
      /** Format: date-time */
      created_at: string;
      /** Format: date */
      expires_at: string;
      id: number;
      /** Format: date-time */
      last_used_at: string | null;
      name: string;
      permissions: string[] | null;
      read_only: boolean;
      secret: string;
      /** @description The part of the credentials before the colon; not secret */
      token_id: string;
      /** Format: date-time */
      updated_at: string;
      user_id: number;
      user_name: string;
    };
    CreatedWebhook: {
      active: boolean;
      /** Format: date-time */
      created_at: string;
      endpoint: string;
      events: string[];
      /** Format: date-time */
      failing_since: string | null;
      /** @description Consecutive calls that were given up */
      failures: number;
      id: number;
      /** Format: date-time */
      last_called_at: string | null;
      last_error: string;
      /** Format: date-time */
      last_errored_at: string | null;
      name: string;
      secret: string;
      /** @description Seconds */
      timeout: number;
      /** Format: date-time */
      updated_at: string;
    };
    DashboardError: {
      error: string;
      /** @description Seconds */
      retryAfter?: number;
    };
    DashboardHealth: {
      /** @description The name of the key */
      api_key: string;
      status: string;
      /** Format: date-time */
      timestamp: string;
    };
    DashboardHistory: {
      days: number;
      points: components["schemas"]["HistoryPoint"][];
      /** @enum {string} */
      step: "hour" | "day";
    };
    DashboardKey: {
      allowed_ip_ranges: string[];
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      expires_at: string | null;
      id: number;
      /** @enum {string} */
      integration_type: "dashboard" | "enrolment";
      is_active: boolean;
      /** Format: date-time */
      last_refused_at: string | null;
      last_refused_reason: string | null;
      /** Format: date-time */
      last_used_at: string | null;
      last_used_ip: string | null;
      max_hosts_per_day: number;
      /** @enum {string} */
      status: "active" | "inactive" | "expired";
      /** @description The part of the credentials before the colon; not secret */
      token_key: string;
      token_name: string;
      /** Format: date-time */
      updated_at: string;
    };
    DashboardKeyListing: {
      data: components["schemas"]["DashboardKey"][];
      /** @description The number of all rows that match */
      total: number;
    };
    DashboardSnippets: {
      curl: string;
      glance: string;
      glance_environment: string;
      homarr: string;
      homepage: string;
      homepage_all: string;
      homepage_environment: string;
      prometheus: string;
    };
    DashboardStats: {
      hosts_needing_updates: number;
      hosts_with_security_updates: number;
      /** Format: date-time */
      last_updated: string;
      os_distribution: components["schemas"]["SystemCount"][];
      recent_updates_24h: number;
      security_updates: number;
      top_os_1_count: number;
      top_os_1_name: string;
      top_os_2_count: number;
      top_os_2_name: string;
      top_os_3_count: number;
      top_os_3_name: string;
      total_hosts: number;
      total_outdated_packages: number;
      total_repos: number;
      up_to_date_hosts: number;
    };
    DashboardUsage: {
      addresses: {
        address: string;
        keys: string[];
        remaining: number;
        /** Format: date-time */
        resets_at: string | null;
        used: number;
      }[];
      limit: number;
      window_seconds: number;
    };
    DeadJob: {
      attempts: number;
      /** Format: date-time */
      created_at: string;
      id: number;
      last_error: string | null;
      name: string;
      /** @description The plugin that handles the job; null where none does */
      plugin: string | null;
      /**
       * Format: date-time
       * @description The time of the last failure
       */
      run_at: string;
    };
    DeadJobListing: {
      data: components["schemas"]["DeadJob"][];
      /** @description The number of all rows that match */
      total: number;
    };
    DeletedImages: {
      delete_count: number;
    };
    /** @description An item of any kind, with the fields of its listing; kinds of other plugins may have further ones */
    DeletedItem: {
      book_id?: number;
      chapter_id?: number | null;
      /** @description Items below it, deleted ones too */
      chapters_count?: number;
      /** Format: date-time */
      created_at?: string;
      created_by?: number | null;
      description?: string;
      draft?: boolean;
      id: number;
      name: string;
      owned_by?: number | null;
      /** @description Items below it, deleted ones too */
      pages_count?: number;
      parent?: ({
        id: number;
        name: string;
        slug: string;
        type: string;
      } & {
        [key: string]: unknown;
      }) | null;
      priority?: number;
      slug: string;
      template?: boolean;
      /** Format: date-time */
      updated_at?: string;
      updated_by?: number | null;
    } & {
      [key: string]: unknown;
    };
    DeletedJobs: {
      delete_count: number;
    };
    Deletion: {
      /** Format: date-time */
      created_at: string;
      deletable: components["schemas"]["DeletedItem"] | null;
      deletable_id: number;
      deletable_type: string;
      deleted_by: number | null;
      id: number;
      /** Format: date-time */
      updated_at: string;
    };
    DeletionListing: {
      data: components["schemas"]["Deletion"][];
      /** @description The number of all rows that match */
      total: number;
    };
    Delivery: {
      /** @description The beginning of the response */
      answer: string;
      attempts: number;
      /** Format: date-time */
      created_at: string;
      duration_ms: number | null;
      error: string;
      id: number;
      /** Format: date-time */
      next_at: string;
      request: {
        address: string;
        body: unknown;
        headers: {
          [key: string]: string;
        } | null;
        name: string;
      };
      /** Format: date-time */
      sent_at: string | null;
      /** @enum {string} */
      state: "waiting" | "delivered" | "failed";
      status: number | null;
      type: string;
    };
    DeliveryListing: {
      data: components["schemas"]["DeliveryListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    DeliveryListItem: {
      attempts: number;
      /** Format: date-time */
      created_at: string;
      duration_ms: number | null;
      error: string;
      id: number;
      /** Format: date-time */
      next_at: string;
      /** Format: date-time */
      sent_at: string | null;
      /** @enum {string} */
      state: "waiting" | "delivered" | "failed";
      status: number | null;
      type: string;
    };
    DestroyedItems: {
      delete_count: number;
    };
    Draft: {
      base_revision: number | null;
      html: string;
      markdown: string;
      name: string;
      page_id: number | null;
      slot: string;
      tags: ({
        name: string;
        value: string;
      } & {
        [key: string]: unknown;
      })[];
      /** Format: date-time */
      updated_at: string;
    };
    DraftAuthor: {
      /** Format: date-time */
      updated_at: string;
      user: components["schemas"]["UserRef"] | null;
    };
    DraftRef: {
      name: string;
      page_id: number | null;
      slot: string;
      /** Format: date-time */
      updated_at: string;
    };
    Drafts: {
      draft: components["schemas"]["Draft"] | null;
      drafts: components["schemas"]["DraftRef"][];
      others: components["schemas"]["DraftAuthor"][];
    };
    EmptiedBin: {
      delete_count: number;
      /** @description Entries that stay, as the plugins of their kinds are not installed */
      kept_count?: number;
    };
    Endpoint: {
      base_model: string;
      body_params: {
        [key: string]: string[];
      } | null;
      controller: string;
      controller_method: string;
      controller_method_kebab: string;
      description: string | null;
      example_request: string | null;
      example_response: string | null;
      method: string;
      model_description: string | null;
      name: string;
      /** @description Without a leading slash, parameters in braces: api/pages/{id} */
      uri: string;
    };
    Endpoints: {
      [key: string]: components["schemas"]["Endpoint"][];
    };
    EnrolledHost: {
      api_id: string;
      api_key: string;
      friendly_name: string;
      host_group: null;
      id: number;
      status: string;
    };
    Enrolment: {
      host: components["schemas"]["EnrolledHost"];
      message: string;
    };
    /** @description Some errors have a message and further facts */
    EnrolmentError: {
      error: string;
    } & {
      [key: string]: unknown;
    };
    Error: {
      error: {
        code: number;
        message: string;
        /** @description Messages by field */
        validation?: {
          [key: string]: string[];
        };
      };
    };
    EventTypes: {
      events: {
        /** @description Heading of its group, for types of plugins */
        section?: string;
        text: string;
        type: string;
      }[];
    };
    ExtendedDashboardStats: {
      hosts_needing_updates: number;
      hosts_with_security_updates: number;
      inactive_hosts: number;
      /** Format: date-time */
      last_updated: string;
      os_distribution: components["schemas"]["SystemCount"][];
      os_versions: {
        count: number;
        name: string;
        version: string;
      }[];
      pending_hosts: number;
      reboot_required_hosts: number;
      recent_updates_24h: number;
      security_updates: number;
      stale_hosts: number;
      top_os_1_count: number;
      top_os_1_name: string;
      top_os_2_count: number;
      top_os_2_name: string;
      top_os_3_count: number;
      top_os_3_name: string;
      total_hosts: number;
      total_outdated_packages: number;
      total_repos: number;
      /** Format: date-time */
      unique_as_of: string;
      unique_outdated_packages: number;
      unique_security_packages: number;
      up_to_date_hosts: number;
      update_interval_minutes: number;
    } & {
      [key: string]: number;
    };
    FoundTag: {
      /** @constant */
      highlight_name?: true;
      /** @constant */
      highlight_value?: true;
      name: string;
      order: number;
      value: string;
    };
    GrantableRoles: {
      data: components["schemas"]["RoleRef"][];
      total: number;
    };
    HistoryPoint: {
      /** Format: date-time */
      at: string;
      hosts_needing_updates: number;
      hosts_with_security_updates: number;
      reboot_required_hosts: number;
      security_updates: number;
      total_hosts: number;
      total_outdated_packages: number;
    };
    Host: {
      agent_version: string | null;
      api_id: string;
      architecture: string | null;
      /** Format: date-time */
      created_at: string;
      friendly_name: string;
      hostname: string | null;
      id: number;
      inactive_reason: ("manual" | "stale") | null;
      ip: string | null;
      kernel_version: string | null;
      /** Format: date-time */
      last_report_at: string | null;
      /** Format: date-time */
      last_seen_at: string | null;
      needs_reboot: boolean;
      os_name: string;
      os_version: string;
      outdated: components["schemas"]["OutdatedPackage"][];
      outdated_packages: number;
      packages: number;
      reboot_reason: string | null;
      repositories: components["schemas"]["HostRepository"][];
      security_updates: number;
      /** @enum {string} */
      status: "pending" | "active" | "inactive";
      /** Format: date-time */
      updated_at: string;
    };
    HostListing: {
      data: components["schemas"]["HostListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    HostListItem: {
      agent_version: string | null;
      api_id: string;
      architecture: string | null;
      /** Format: date-time */
      created_at: string;
      friendly_name: string;
      hostname: string | null;
      id: number;
      inactive_reason: ("manual" | "stale") | null;
      ip: string | null;
      kernel_version: string | null;
      /** Format: date-time */
      last_report_at: string | null;
      /** Format: date-time */
      last_seen_at: string | null;
      needs_reboot: boolean;
      os_name: string;
      os_version: string;
      outdated_packages: number;
      packages: number;
      reboot_reason: string | null;
      security_updates: number;
      /** @enum {string} */
      status: "pending" | "active" | "inactive";
      /** Format: date-time */
      updated_at: string;
    };
    HostRepository: {
      components: string;
      distribution: string;
      enabled: boolean;
      name: string;
      type: string;
      url: string;
    };
    Image: {
      content: {
        html: string;
        markdown: string;
      };
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      id: number;
      name: string;
      path: string;
      thumbs: {
        display: string | null;
        gallery: string | null;
      };
      type: string;
      /** Format: date-time */
      updated_at: string;
      updated_by: components["schemas"]["UserRef"] | null;
      /** @description Id of the page, or of the item that it is the cover of */
      uploaded_to: number;
      url: string;
    };
    ImageListing: {
      data: components["schemas"]["ImageListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    ImageListItem: {
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      id: number;
      name: string;
      path: string;
      type: string;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
      /** @description Id of the page, or of the item that it is the cover of */
      uploaded_to: number;
      url: string;
    };
    Import: {
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      /** @description The book, chapter or page of the archive, with what is in it */
      details: {
        attachments?: ({
          id?: number;
          name: string;
        } & {
          [key: string]: unknown;
        })[];
        chapters?: ({
          id?: number;
          name: string;
          pages?: ({
            attachments?: ({
              id?: number;
              name: string;
            } & {
              [key: string]: unknown;
            })[];
            id?: number;
            images?: ({
              file?: string;
              id?: number;
              name: string;
              type?: string;
            } & {
              [key: string]: unknown;
            })[];
            name: string;
            priority?: number;
            tags?: ({
              name: string;
            } & {
              [key: string]: unknown;
            })[];
          } & {
            [key: string]: unknown;
          })[];
          priority?: number;
          tags?: ({
            name: string;
          } & {
            [key: string]: unknown;
          })[];
        } & {
          [key: string]: unknown;
        })[];
        id?: number;
        images?: ({
          file?: string;
          id?: number;
          name: string;
          type?: string;
        } & {
          [key: string]: unknown;
        })[];
        name: string;
        pages?: ({
          attachments?: ({
            id?: number;
            name: string;
          } & {
            [key: string]: unknown;
          })[];
          id?: number;
          images?: ({
            file?: string;
            id?: number;
            name: string;
            type?: string;
          } & {
            [key: string]: unknown;
          })[];
          name: string;
          priority?: number;
          tags?: ({
            name: string;
          } & {
            [key: string]: unknown;
          })[];
        } & {
          [key: string]: unknown;
        })[];
        priority?: number;
        tags?: ({
          name: string;
        } & {
          [key: string]: unknown;
        })[];
      } & {
        [key: string]: unknown;
      };
      id: number;
      name: string;
      path: string;
      /** @description Bytes */
      size: number;
      type: string;
      /** Format: date-time */
      updated_at: string;
    };
    ImportedItem: {
      id: number;
      name: string;
      slug: string;
    } & {
      [key: string]: unknown;
    };
    ImportError: {
      error: {
        code: number;
        message: string;
        /** @description Messages by field */
        validation?: {
          [key: string]: string[];
        };
      };
      /** @description The same message; absent if fields of the request are wrong */
      message?: string;
      /** @constant */
      status?: "error";
    };
    ImportListing: {
      data: components["schemas"]["ImportListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    ImportListItem: {
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      id: number;
      name: string;
      /** @description Bytes */
      size: number;
      type: string;
      /** Format: date-time */
      updated_at: string;
    };
    ItemRef: {
      id: number;
      name: string;
      slug: string;
    };
    LostFiles: {
      bytes: number;
      data: {
        key: string;
        /** Format: date-time */
        modified: string;
        size: number;
      }[];
      kept: number;
      total: number;
      unclaimed: {
        [key: string]: number;
      };
    };
    Me: {
      avatar_url: string;
      /** Format: date-time */
      created_at: string;
      edit_url: string;
      email: string;
      external_auth_id: string;
      id: number;
      language: string;
      /** Format: date-time */
      last_activity_at: string | null;
      name: string;
      permissions: string[];
      profile_url: string;
      roles: components["schemas"]["RoleRef"][];
      slug: string;
      /** Format: date-time */
      updated_at: string;
      /** @description How the request was authenticated */
      via: string;
    };
    Message: {
      message: string;
    };
    NestedContentsEntry: {
      book_id: number;
      chapter_id?: number | null;
      /** Format: date-time */
      created_at?: string;
      draft?: boolean;
      id: number;
      name: string;
      priority: number;
      slug: string;
      template?: boolean;
      type?: string;
      /** Format: date-time */
      updated_at?: string;
      url: string;
    } & {
      [key: string]: unknown;
    };
    OpenApiDocument: {
      openapi: string;
    } & {
      [key: string]: unknown;
    };
    OutdatedPackage: {
      available_version: string;
      current_version: string;
      name: string;
      security: boolean;
    };
    Page: {
      book_id: number;
      chapter_id: number | null;
      comments: components["schemas"]["PageComments"];
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      draft: boolean;
      editor: string;
      /** @description Ready to show, with includes resolved */
      html: string;
      id: number;
      /** @description The source of a page written in Markdown, else "" */
      markdown: string;
      name: string;
      owned_by: components["schemas"]["UserRef"] | null;
      priority: number;
      /** @description The content as stored */
      raw_html: string;
      revision_count: number;
      slug: string;
      tags: components["schemas"]["Tag"][];
      template: boolean;
      /** Format: date-time */
      updated_at: string;
      updated_by: components["schemas"]["UserRef"] | null;
    };
    PageComment: {
      archived: boolean;
      commentable_id: number;
      commentable_type: string;
      content_ref: string;
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      html: string;
      id: number;
      local_id: number;
      /** @description The local_id of the comment it replies to */
      parent_id: number | null;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    PageComments: {
      active: components["schemas"]["CommentTree"][];
      archived: components["schemas"]["CommentTree"][];
    };
    PageListing: {
      data: components["schemas"]["PageListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    PageListItem: {
      book_id: number;
      book_slug: string;
      chapter_id: number | null;
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      draft: boolean;
      editor: string;
      id: number;
      name: string;
      owned_by: number | null;
      priority: number;
      revision_count: number;
      slug: string;
      template: boolean;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    PageRevision: {
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      html: string;
      id: number;
      markdown: string;
      name: string;
      /** @description The revision_count the page had then */
      number: number;
      page_id: number;
      raw_html: string;
      text: string;
    };
    PageRevisionListing: {
      data: components["schemas"]["PageRevisionListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    PageRevisionListItem: {
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      id: number;
      name: string;
      /** @description The revision_count the page had then */
      number: number;
      page_id: number;
    };
    PendingSignIn: {
      pending: {
        /** @description The path of its screen, below the address of the instance */
        path: string;
        /** @description The name of the step */
        step: string;
      };
    };
    Person: {
      /** Format: date-time */
      created_at: string;
      id: number;
      name: string;
      slug: string;
    };
    Ping: {
      agentStartup: boolean;
      friendlyName: string;
      hashGate: boolean;
      integrations: {
        compliance: boolean;
        docker: boolean;
      };
      message: string;
      requestFull?: string[];
      /** Format: date-time */
      timestamp: string;
    };
    PluginFault: {
      /** @description Failures since the process started */
      count: number;
      /** Format: date-time */
      first_at: string;
      /** Format: date-time */
      last_at: string;
      /** @description The message of the last failure */
      message: string;
      /** @description The slot, with what it was called for */
      place: string;
      plugin: string;
    };
    PluginFaults: {
      data: components["schemas"]["PluginFault"][];
      total: number;
    };
    Preview: {
      html: string;
    };
    ResentDelivery: {
      id: number;
      state: string;
    };
    RestoredItems: {
      restore_count: number;
    };
    RetriedJobs: {
      retry_count: number;
    };
    Role: {
      /** Format: date-time */
      created_at: string;
      description: string | null;
      display_name: string;
      external_auth_id: string;
      id: number;
      mfa_enforced: boolean;
      permissions: string[];
      /** @description "admin" and "public" for the two that cannot be deleted, else empty */
      system_name: string;
      /** Format: date-time */
      updated_at: string;
      users: components["schemas"]["UserRef"][];
    };
    RoleListing: {
      data: components["schemas"]["RoleListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    RoleListItem: {
      /** Format: date-time */
      created_at: string;
      description: string | null;
      display_name: string;
      external_auth_id: string;
      id: number;
      mfa_enforced: boolean;
      permissions_count: number;
      /** @description "admin" and "public" for the two that cannot be deleted, else empty */
      system_name: string;
      /** Format: date-time */
      updated_at: string;
      users_count: number;
    };
    RoleRef: {
      display_name: string;
      id: number;
    };
    SavedAttachment: {
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      /** @description Without a dot; "" for links */
      extension: string;
      /** @description Whether it is a link instead of a file */
      external: boolean;
      id: number;
      name: string;
      order: number;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
      /** @description Id of the page */
      uploaded_to: number;
    };
    SavedBook: {
      cover: components["schemas"]["ImageListItem"] | null;
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      default_template_id: number | null;
      description: string;
      description_html: string;
      id: number;
      name: string;
      owned_by: number | null;
      slug: string;
      tags: components["schemas"]["Tag"][];
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    SavedChapter: {
      book_id: number;
      book_slug: string;
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      default_template_id: number | null;
      description: string;
      description_html: string;
      id: number;
      name: string;
      owned_by: number | null;
      priority: number;
      slug: string;
      tags: components["schemas"]["Tag"][];
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    SavedComment: {
      archived: boolean;
      commentable_id: number;
      commentable_type: string;
      content_ref: string;
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      html: string;
      id: number;
      local_id: number;
      /** @description The local_id of the comment it replies to */
      parent_id: number | null;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    SavedDraft: {
      draft?: components["schemas"]["Draft"];
    };
    SavedImport: {
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      id: number;
      name: string;
      path: string;
      /** @description Bytes */
      size: number;
      type: string;
      /** Format: date-time */
      updated_at: string;
    };
    SavedPage: {
      book_id: number;
      chapter_id: number | null;
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      draft: boolean;
      editor: string;
      /** @description Ready to show, with includes resolved */
      html: string;
      id: number;
      /** @description The source of a page written in Markdown, else "" */
      markdown: string;
      name: string;
      owned_by: components["schemas"]["UserRef"] | null;
      priority: number;
      /** @description The content as stored */
      raw_html: string;
      revision_count: number;
      slug: string;
      tags: components["schemas"]["Tag"][];
      template: boolean;
      /** Format: date-time */
      updated_at: string;
      updated_by: components["schemas"]["UserRef"] | null;
    };
    SavedShelf: {
      cover: components["schemas"]["ImageListItem"] | null;
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      description: string;
      description_html: string;
      id: number;
      name: string;
      owned_by: number | null;
      slug: string;
      tags: components["schemas"]["Tag"][];
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    SearchAnswer: {
      data: components["schemas"]["SearchResult"][];
      total: number;
      /** @constant */
      total_is_lower_bound?: true;
    };
    SearchResult: {
      book?: components["schemas"]["ItemRef"];
      book_id?: number;
      chapter?: components["schemas"]["ItemRef"];
      chapter_id?: number;
      /** Format: date-time */
      created_at: string;
      draft?: boolean;
      id: number;
      name: string;
      preview_html: {
        content: string;
        name: string;
      };
      priority?: number;
      slug: string;
      tags: components["schemas"]["FoundTag"][];
      template?: boolean;
      type: string;
      /** Format: date-time */
      updated_at: string;
      url: string;
    } & {
      [key: string]: unknown;
    };
    SessionListing: {
      data: components["schemas"]["SessionListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    SessionListItem: {
      address: string;
      agent: string;
      /** Format: date-time */
      created_at: string;
      /** @description Whether it is the session of the request */
      current: boolean;
      id: number;
      /** Format: date-time */
      last_seen_at: string;
      user_id: number;
    };
    Shelf: {
      books: components["schemas"]["ShelvedBook"][];
      cover: components["schemas"]["ImageListItem"] | null;
      /** Format: date-time */
      created_at: string;
      created_by: components["schemas"]["UserRef"] | null;
      description: string;
      description_html: string;
      id: number;
      name: string;
      owned_by: components["schemas"]["UserRef"] | null;
      slug: string;
      tags: components["schemas"]["Tag"][];
      /** Format: date-time */
      updated_at: string;
      updated_by: components["schemas"]["UserRef"] | null;
    };
    ShelfListing: {
      data: components["schemas"]["ShelfListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    ShelfListItem: {
      cover: components["schemas"]["CoverRef"] | null;
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      description: string;
      id: number;
      name: string;
      owned_by: number | null;
      slug: string;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    ShelvedBook: {
      /** Format: date-time */
      created_at: string;
      created_by: number | null;
      description: string;
      id: number;
      name: string;
      owned_by: number | null;
      slug: string;
      /** Format: date-time */
      updated_at: string;
      updated_by: number | null;
    };
    SignedIn: {
      permissions: string[];
      session: {
        /** Format: date-time */
        created_at: string;
        /** Format: date-time */
        expires_at: string;
        id: number;
      };
      user: {
        email: string;
        id: number;
        name: string;
        slug: string;
      };
    };
    StoredReport: {
      message: string;
      packagesProcessed: number;
      securityUpdates: number;
      updatesAvailable: number;
    };
    System: {
      app_logo: string | null;
      app_name: string;
      base_url: string;
      instance_id: string;
      /** @description The version of the API */
      version: string;
    };
    SystemCount: {
      count: number;
      name: string;
    };
    SystemFacts: {
      boot_ms: number;
      bun_version: string;
      jobs: {
        dead: number;
        waiting: number;
      };
      language: string;
      lectern_version: string;
      memory_bytes: number;
      platform: string;
      /** Format: date-time */
      started_at: string;
      store: {
        bytes: number;
        version: string;
      };
      theme: string;
    };
    Tag: {
      name: string;
      order: number;
      value: string;
    };
    TagName: {
      book_count: number;
      chapter_count: number;
      name: string;
      page_count: number;
      shelf_count: number;
      usages: number;
      values: number;
    };
    TagNameListing: {
      data: components["schemas"]["TagName"][];
      /** @description The number of all rows that match */
      total: number;
    };
    TagValue: {
      book_count: number;
      chapter_count: number;
      name: string;
      page_count: number;
      shelf_count: number;
      usages: number;
      value: string;
    };
    TagValueListing: {
      data: components["schemas"]["TagValue"][];
      /** @description The number of all rows that match */
      total: number;
    };
    Token: {
      /** Format: date-time */
      created_at: string;
      /** Format: date */
      expires_at: string;
      id: number;
      /** Format: date-time */
      last_used_at: string | null;
      name: string;
      permissions: string[] | null;
      read_only: boolean;
      /** @description The part of the credentials before the colon; not secret */
      token_id: string;
      /** Format: date-time */
      updated_at: string;
      user_id: number;
      user_name: string;
    };
    TokenListing: {
      data: components["schemas"]["Token"][];
      /** @description The number of all rows that match */
      total: number;
    };
    UnusedImages: {
      data: components["schemas"]["ImageListItem"][];
      total: number;
    };
    UpdateInterval: {
      cronExpression: string;
      updateInterval: number;
    };
    User: {
      avatar_url: string;
      /** Format: date-time */
      created_at: string;
      edit_url: string;
      email: string;
      external_auth_id: string;
      id: number;
      /** Format: date-time */
      last_activity_at: string | null;
      name: string;
      profile_url: string;
      roles: components["schemas"]["RoleRef"][];
      slug: string;
      /** Format: date-time */
      updated_at: string;
    };
    UserListing: {
      data: components["schemas"]["UserListItem"][];
      /** @description The number of all rows that match */
      total: number;
    };
    UserListItem: {
      avatar_url: string;
      /** Format: date-time */
      created_at: string;
      edit_url: string;
      email: string;
      external_auth_id: string;
      id: number;
      /** Format: date-time */
      last_activity_at: string | null;
      name: string;
      profile_url: string;
      slug: string;
      /** Format: date-time */
      updated_at: string;
    };
    /** @description A reference to a user */
    UserRef: {
      id: number;
      name: string;
      slug: string;
    };
    UserTransfer: {
      /** Format: date-time */
      created_at: string;
      heir: components["schemas"]["UserRef"] | null;
      id: number;
      /** @description Items there were at the beginning; null before they are counted */
      items: number | null;
      /** @description Items that were changed so far */
      moved: number;
      /** @description Name of the deleted user */
      name: string;
      user_id: number;
    };
    UserTransferListing: {
      data: components["schemas"]["UserTransfer"][];
      /** @description The number of all rows that match */
      total: number;
    };
    Webhook: {
      active: boolean;
      /** Format: date-time */
      created_at: string;
      endpoint: string;
      events: string[];
      /** Format: date-time */
      failing_since: string | null;
      /** @description Consecutive calls that were given up */
      failures: number;
      id: number;
      /** Format: date-time */
      last_called_at: string | null;
      last_error: string;
      /** Format: date-time */
      last_errored_at: string | null;
      name: string;
      /** @description Seconds */
      timeout: number;
      /** Format: date-time */
      updated_at: string;
    };
    WebhookListing: {
      data: components["schemas"]["Webhook"][];
      /** @description The number of all rows that match */
      total: number;
    };
  };
  responses: {
    /** @description The request cannot be read, or asks for what makes no sense */
    AgentBadRequest: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description Somebody else has changed it, or its state does not permit it */
    AgentConflict: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description Any other error, such as 405 for a method in disguise or 507 for a full disk */
    AgentFailure: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description Not permitted */
    AgentForbidden: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description The operator has not set this up */
    AgentNotAvailable: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description There is no such item, or the caller may not see it */
    AgentNotFound: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description What was asked for cannot be done; the message says why */
    AgentRefused: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description The body is too large */
    AgentTooLarge: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description Too many requests */
    AgentTooManyRequests: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description No usable credentials */
    AgentUnauthorized: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description Not possible at the moment; try again later */
    AgentUnavailable: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description The given data was invalid */
    AgentUnprocessable: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description The body is encoded in a way that is not read */
    AgentUnsupportedEncoding: {
      content: {
        "application/json": components["schemas"]["AgentError"];
      };
    };
    /** @description The request cannot be read, or asks for what makes no sense */
    BadRequest: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Somebody else has changed it, or its state does not permit it */
    Conflict: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The request cannot be read, or asks for what makes no sense */
    DashboardBadRequest: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description Somebody else has changed it, or its state does not permit it */
    DashboardConflict: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description Any other error, such as 405 for a method in disguise or 507 for a full disk */
    DashboardFailure: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description Not permitted */
    DashboardForbidden: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description The operator has not set this up */
    DashboardNotAvailable: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description There is no such item, or the caller may not see it */
    DashboardNotFound: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description What was asked for cannot be done; the message says why */
    DashboardRefused: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description The body is too large */
    DashboardTooLarge: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description Too many requests */
    DashboardTooManyRequests: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description No usable credentials */
    DashboardUnauthorized: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description Not possible at the moment; try again later */
    DashboardUnavailable: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description The given data was invalid */
    DashboardUnprocessable: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description The body is encoded in a way that is not read */
    DashboardUnsupportedEncoding: {
      content: {
        "application/json": components["schemas"]["DashboardError"];
      };
    };
    /** @description The request cannot be read, or asks for what makes no sense */
    EnrolmentBadRequest: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description Somebody else has changed it, or its state does not permit it */
    EnrolmentConflict: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description Any other error, such as 405 for a method in disguise or 507 for a full disk */
    EnrolmentFailure: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description Not permitted */
    EnrolmentForbidden: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description The operator has not set this up */
    EnrolmentNotAvailable: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description There is no such item, or the caller may not see it */
    EnrolmentNotFound: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description What was asked for cannot be done; the message says why */
    EnrolmentRefused: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description The body is too large */
    EnrolmentTooLarge: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description Too many requests */
    EnrolmentTooManyRequests: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description No usable credentials */
    EnrolmentUnauthorized: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description Not possible at the moment; try again later */
    EnrolmentUnavailable: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description The given data was invalid */
    EnrolmentUnprocessable: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description The body is encoded in a way that is not read */
    EnrolmentUnsupportedEncoding: {
      content: {
        "application/json": components["schemas"]["EnrolmentError"];
      };
    };
    /** @description Any other error, such as 405 for a method in disguise or 507 for a full disk */
    Failure: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not permitted */
    Forbidden: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The operator has not set this up */
    NotAvailable: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description There is no such item, or the caller may not see it */
    NotFound: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description What was asked for cannot be done; the message says why */
    Refused: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The body is too large */
    TooLarge: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Too many requests */
    TooManyRequests: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description No usable credentials */
    Unauthorized: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not possible at the moment; try again later */
    Unavailable: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The given data was invalid */
    Unprocessable: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The body is encoded in a way that is not read */
    UnsupportedEncoding: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  "exports-read": {
    parameters: {
      path: {
        format: string;
        id: number;
        segment: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "attachments-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["AttachmentListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "attachments-create": {
    requestBody: {
      content: {
        "application/json": {
          link?: string;
          name: string;
          /** Format: int32 */
          uploaded_to: number;
        } | {
          link: string;
        };
        "multipart/form-data": {
          /** Format: binary */
          file?: string;
          link?: string;
          name: string;
          /** Format: int32 */
          uploaded_to: number;
        } | {
          /** Format: binary */
          file: string;
        } | {
          link: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedAttachment"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "attachments-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Attachment"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "attachments-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          link?: string;
          name?: string;
          /** Format: int32 */
          uploaded_to?: number;
        };
        "multipart/form-data": {
          /** Format: binary */
          file?: string;
          link?: string;
          name?: string;
          /** Format: int32 */
          uploaded_to?: number;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedAttachment"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "attachments-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "audit-log-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ActivityListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "audit-log-types": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ActivityTypes"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["BookListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-create": {
    requestBody: {
      content: {
        "application/json": {
          /** Format: int32 */
          default_template_id?: number | null;
          description?: string;
          description_html?: string;
          image?: null;
          name: string;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
        "multipart/form-data": {
          /** Format: int32 */
          default_template_id?: number;
          description?: string;
          description_html?: string;
          /** Format: binary */
          image?: string;
          name: string;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedBook"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Book"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          /** Format: int32 */
          default_template_id?: number | null;
          description?: string;
          description_html?: string;
          image?: null;
          name?: string;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
        "multipart/form-data": {
          /** Format: int32 */
          default_template_id?: number;
          description?: string;
          description_html?: string;
          /** Format: binary */
          image?: string;
          name?: string;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedBook"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-export-html": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-export-markdown": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-export-pdf": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-export-plain-text": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-export-zip": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "books-order": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          items: ({
            id?: number;
            /** @constant */
            type?: "page";
          } | {
            id?: number;
            pages?: number[];
            /** @constant */
            type?: "chapter";
          })[];
        };
        "multipart/form-data": {
          items: ({
            id?: number;
            /** @constant */
            type?: "page";
          } | {
            id?: number;
            pages?: number[];
            /** @constant */
            type?: "chapter";
          })[];
        };
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "chapters-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ChapterListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "chapters-create": {
    requestBody: {
      content: {
        "application/json": {
          /** Format: int32 */
          book_id: number;
          /** Format: int32 */
          default_template_id?: number | null;
          description?: string;
          description_html?: string;
          name: string;
          /** Format: int32 */
          priority?: number;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
        "multipart/form-data": {
          /** Format: int32 */
          book_id: number;
          /** Format: int32 */
          default_template_id?: number;
          description?: string;
          description_html?: string;
          name: string;
          /** Format: int32 */
          priority?: number;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedChapter"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "chapters-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Chapter"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "chapters-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          /** Format: int32 */
          book_id?: number;
          /** Format: int32 */
          default_template_id?: number | null;
          description?: string;
          description_html?: string;
          name?: string;
          /** Format: int32 */
          priority?: number;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
        "multipart/form-data": {
          /** Format: int32 */
          book_id?: number;
          /** Format: int32 */
          default_template_id?: number;
          description?: string;
          description_html?: string;
          name?: string;
          /** Format: int32 */
          priority?: number;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedChapter"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "chapters-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "chapters-export-html": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "chapters-export-markdown": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "chapters-export-pdf": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "chapters-export-plain-text": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "chapters-export-zip": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "comments-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["CommentListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "comments-create": {
    requestBody: {
      content: {
        "application/json": {
          content_ref?: string;
          html: string;
          /** Format: int32 */
          page_id: number;
          /** Format: int32 */
          reply_to?: number | null;
        };
        "multipart/form-data": {
          content_ref?: string;
          html: string;
          /** Format: int32 */
          page_id: number;
          /** Format: int32 */
          reply_to?: number;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedComment"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "comments-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Comment"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "comments-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          archived?: boolean;
          html?: string;
        };
        "multipart/form-data": {
          /** @enum {string} */
          archived?: "0" | "1";
          html?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedComment"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "comments-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "content-permissions-read": {
    parameters: {
      path: {
        contentId: number;
        contentType: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ContentPermissions"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "content-permissions-update": {
    parameters: {
      path: {
        contentId: number;
        contentType: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          fallback_permissions?: (({
            create?: boolean;
            delete?: boolean;
            inheriting: boolean;
            update?: boolean;
            view?: boolean;
          } | {
            /** @constant */
            inheriting?: true;
          } | unknown) | null) | {
            /** @constant */
            inheriting?: true;
          } | unknown;
          /** Format: int32 */
          owner_id?: number;
          role_permissions?: {
            create: boolean;
            delete: boolean;
            /** Format: int32 */
            role_id: number;
            update: boolean;
            view: boolean;
          }[];
        };
        "multipart/form-data": {
          fallback_permissions?: {
            /** @enum {string} */
            create?: "0" | "1";
            /** @enum {string} */
            delete?: "0" | "1";
            /** @enum {string} */
            inheriting: "0" | "1";
            /** @enum {string} */
            update?: "0" | "1";
            /** @enum {string} */
            view?: "0" | "1";
          } | {
            /** @constant */
            inheriting?: "1";
          } | unknown;
          /** Format: int32 */
          owner_id?: number;
          role_permissions?: {
            /** @enum {string} */
            create: "0" | "1";
            /** @enum {string} */
            delete: "0" | "1";
            /** Format: int32 */
            role_id: number;
            /** @enum {string} */
            update: "0" | "1";
            /** @enum {string} */
            view: "0" | "1";
          }[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ContentPermissions"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "content-permissions-roles": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["GrantableRoles"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "docs-display": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "text/html": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "docs-json": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Endpoints"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "docs-try": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "text/html": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "drafts-read": {
    parameters: {
      query?: {
        page_id?: number;
        slot?: string;
      };
      path: {
        id: number;
        kind: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Drafts"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "drafts-save": {
    parameters: {
      path: {
        id: number;
        kind: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          /** Format: int32 */
          base_revision?: number;
          html?: string;
          kept_at?: string;
          markdown?: string;
          name?: string;
          slot?: string;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
        "multipart/form-data": {
          /** Format: int32 */
          base_revision?: number;
          html?: string;
          kept_at?: string;
          markdown?: string;
          name?: string;
          slot?: string;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedDraft"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "drafts-delete": {
    parameters: {
      query?: {
        slot?: string;
      };
      path: {
        id: number;
        kind: string;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "drafts-preview": {
    requestBody?: {
      content: {
        "application/json": {
          html?: string;
          markdown?: string;
        } | {
          html: string;
        } | {
          markdown: string;
        };
        "multipart/form-data": {
          html?: string;
          markdown?: string;
        } | {
          html: string;
        } | {
          markdown: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Preview"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "image-gallery-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ImageListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "image-gallery-create": {
    requestBody: {
      content: {
        "multipart/form-data": {
          /** Format: binary */
          image: string;
          name?: string;
          /** @enum {string} */
          type: "gallery" | "drawio";
          /** Format: int32 */
          uploaded_to: number;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Image"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "image-gallery-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Image"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "image-gallery-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          name?: string;
        };
        "multipart/form-data": {
          /** Format: binary */
          image?: string;
          name?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Image"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "image-gallery-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "image-gallery-read-data": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "image/*": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "image-gallery-unused": {
    parameters: {
      query?: {
        ignore_revisions?: "0" | "1";
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["UnusedImages"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "image-gallery-deleteUnused": {
    requestBody?: {
      content: {
        "application/json": {
          ignore_revisions?: boolean;
        };
        "multipart/form-data": {
          /** @enum {string} */
          ignore_revisions?: "0" | "1";
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DeletedImages"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "image-gallery-read-data-for-url": {
    parameters: {
      query: {
        url: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "image/*": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "imports-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ImportListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "imports-create": {
    requestBody: {
      content: {
        "multipart/form-data": {
          /** Format: binary */
          file: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedImport"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      /** @description Error */
      422: {
        content: {
          "application/json": components["schemas"]["ImportError"];
        };
      };
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "imports-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Import"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "imports-run": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          /** Format: int32 */
          parent_id: number;
          /** @enum {string} */
          parent_type: "book" | "chapter";
        };
        "multipart/form-data": {
          /** Format: int32 */
          parent_id: number;
          /** @enum {string} */
          parent_type: "book" | "chapter";
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ImportedItem"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Error */
      500: {
        content: {
          "application/json": components["schemas"]["ImportError"];
        };
      };
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "imports-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "recycle-bin-empty": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["EmptiedBin"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "docs-openapi": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["OpenApiDocument"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["PageListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-create": {
    requestBody: {
      content: {
        "application/json": {
          /** Format: int32 */
          book_id?: number;
          /** Format: int32 */
          chapter_id?: number;
          /** Format: int32 */
          draft_id?: number;
          html?: string;
          markdown?: string;
          name: string;
          /** Format: int32 */
          priority?: number;
          tags?: {
            name?: string;
            value?: string;
          }[];
        } & (({
          /** Format: int32 */
          book_id: number;
        } | {
          /** Format: int32 */
          chapter_id: number;
        }) & ({
          html: string;
        } | {
          markdown: string;
        }));
        "multipart/form-data": {
          /** Format: int32 */
          book_id?: number;
          /** Format: int32 */
          chapter_id?: number;
          /** Format: int32 */
          draft_id?: number;
          html?: string;
          markdown?: string;
          name: string;
          /** Format: int32 */
          priority?: number;
          tags?: {
            name?: string;
            value?: string;
          }[];
        } & (({
          /** Format: int32 */
          book_id: number;
        } | {
          /** Format: int32 */
          chapter_id: number;
        }) & ({
          html: string;
        } | {
          markdown: string;
        }));
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Page"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          /** Format: int32 */
          base_revision?: number;
          /** Format: int32 */
          book_id?: number;
          /** Format: int32 */
          chapter_id?: number;
          html?: string;
          markdown?: string;
          name?: string;
          /** Format: int32 */
          priority?: number;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
        "multipart/form-data": {
          /** Format: int32 */
          base_revision?: number;
          /** Format: int32 */
          book_id?: number;
          /** Format: int32 */
          chapter_id?: number;
          html?: string;
          markdown?: string;
          name?: string;
          /** Format: int32 */
          priority?: number;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-export-html": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-export-markdown": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-export-pdf": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-export-plain-text": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-export-zip": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      501: components["responses"]["NotAvailable"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-revisions": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["PageRevisionListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-revision": {
    parameters: {
      path: {
        id: number;
        revisionId: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["PageRevision"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-deleteRevision": {
    parameters: {
      path: {
        id: number;
        revisionId: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "pages-restoreRevision": {
    parameters: {
      path: {
        id: number;
        revisionId: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "password-email": {
    requestBody?: {
      content: {
        "application/json": {
          /** Format: email */
          email: string;
        };
        "multipart/form-data": {
          /** Format: email */
          email: string;
        };
      };
    };
    responses: {
      /** @description Success */
      202: {
        content: {
          "application/json": components["schemas"]["Message"];
        };
      };
      400: components["responses"]["BadRequest"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "password-reset": {
    parameters: {
      path: {
        token: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          password: string;
        };
        "multipart/form-data": {
          password: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["AccountRef"];
        };
      };
      400: components["responses"]["BadRequest"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "people-read": {
    parameters: {
      path: {
        slug: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Person"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "recycle-bin-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DeletionListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "recycle-bin-restore": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["RestoredItems"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "recycle-bin-destroy": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DestroyedItems"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "register-acceptInvite": {
    parameters: {
      path: {
        token: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          password: string;
        };
        "multipart/form-data": {
          password: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["AccountRef"];
        };
      };
      400: components["responses"]["BadRequest"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "roles-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["RoleListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "roles-create": {
    requestBody: {
      content: {
        "application/json": {
          description?: string;
          display_name: string;
          external_auth_id?: string;
          mfa_enforced?: boolean;
          permissions?: string[];
        };
        "multipart/form-data": {
          description?: string;
          display_name: string;
          external_auth_id?: string;
          /** @enum {string} */
          mfa_enforced?: "0" | "1";
          permissions?: string[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Role"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "roles-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Role"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "roles-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          description?: string;
          display_name?: string;
          external_auth_id?: string;
          mfa_enforced?: boolean;
          permissions?: string[];
        };
        "multipart/form-data": {
          description?: string;
          display_name?: string;
          external_auth_id?: string;
          /** @enum {string} */
          mfa_enforced?: "0" | "1";
          permissions?: string[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Role"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "roles-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "search-all": {
    parameters: {
      query: {
        count?: number;
        page?: number;
        query: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SearchAnswer"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "session-read": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SignedIn"];
        };
      };
      401: components["responses"]["Unauthorized"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "session-create": {
    requestBody: {
      content: {
        "application/json": {
          email: string;
          password: string;
        };
        "multipart/form-data": {
          email: string;
          password: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SignedIn"];
        };
      };
      /** @description Success */
      202: {
        content: {
          "application/json": components["schemas"]["PendingSignIn"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "session-delete": {
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "shelves-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ShelfListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "shelves-create": {
    requestBody: {
      content: {
        "application/json": {
          books?: unknown[];
          description?: string;
          description_html?: string;
          image?: null;
          name: string;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
        "multipart/form-data": {
          books?: unknown[];
          description?: string;
          description_html?: string;
          /** Format: binary */
          image?: string;
          name: string;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedShelf"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "shelves-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Shelf"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "shelves-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          books?: unknown[];
          description?: string;
          description_html?: string;
          image?: null;
          name?: string;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
        "multipart/form-data": {
          books?: unknown[];
          description?: string;
          description_html?: string;
          /** Format: binary */
          image?: string;
          name?: string;
          tags?: {
            name?: string;
            value?: string;
          }[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SavedShelf"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "shelves-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "system-read": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["System"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "system-facts": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SystemFacts"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "system-faults": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["PluginFaults"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "system-files": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["LostFiles"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "system-deadJobs": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DeadJobListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "system-deleteJobs": {
    requestBody?: {
      content: {
        "application/json": {
          ids?: number[];
        };
        "multipart/form-data": {
          ids?: number[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DeletedJobs"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "system-retryJobs": {
    requestBody?: {
      content: {
        "application/json": {
          ids?: number[];
        };
        "multipart/form-data": {
          ids?: number[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["RetriedJobs"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "system-plugins": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["BootedPlugins"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "tags-list-names": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["TagNameListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "tags-list-values": {
    parameters: {
      query: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        name: string;
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["TagValueListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-transfers": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["UserTransferListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["UserListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-create": {
    requestBody: {
      content: {
        "application/json": {
          /** Format: email */
          email: string;
          external_auth_id?: string;
          language?: string;
          name: string;
          password?: string;
          roles?: number[];
          send_invite?: boolean;
        };
        "multipart/form-data": {
          /** Format: email */
          email: string;
          external_auth_id?: string;
          language?: string;
          name: string;
          password?: string;
          roles?: number[];
          /** @enum {string} */
          send_invite?: "0" | "1";
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          /** Format: email */
          email?: string;
          external_auth_id?: string;
          language?: string;
          name?: string;
          password?: string;
          roles?: number[];
        };
        "multipart/form-data": {
          /** Format: email */
          email?: string;
          external_auth_id?: string;
          language?: string;
          name?: string;
          password?: string;
          roles?: number[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          /** Format: int32 */
          migrate_ownership_id?: number;
        };
        "multipart/form-data": {
          /** Format: int32 */
          migrate_ownership_id?: number;
        };
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["Refused"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-listSessions": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["SessionListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-deleteSession": {
    parameters: {
      path: {
        id: number;
        sessionId: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-listTokens": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["TokenListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-createToken": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          /** Format: date */
          expires_at?: string | null;
          name: string;
          permissions?: string[] | null;
          read_only?: boolean;
        };
        "multipart/form-data": {
          /** Format: date */
          expires_at?: string;
          name: string;
          permissions?: string[];
          /** @enum {string} */
          read_only?: "0" | "1";
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["CreatedToken"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-updateToken": {
    parameters: {
      path: {
        id: number;
        tokenId: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          /** Format: date */
          expires_at?: string | null;
          name?: string;
        };
        "multipart/form-data": {
          /** Format: date */
          expires_at?: string;
          name?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Token"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-deleteToken": {
    parameters: {
      path: {
        id: number;
        tokenId: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-me": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Me"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "users-updateMe": {
    requestBody?: {
      content: {
        "application/json": {
          current_password?: string;
          language?: string;
          name?: string;
          password?: string;
        };
        "multipart/form-data": {
          current_password?: string;
          language?: string;
          name?: string;
          password?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Me"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "agents-ws": {
    responses: {
      /** @description Switched to a WebSocket */
      101: {};
      401: components["responses"]["AgentUnauthorized"];
      403: components["responses"]["AgentForbidden"];
      429: components["responses"]["AgentTooManyRequests"];
      503: components["responses"]["AgentUnavailable"];
      default: components["responses"]["AgentFailure"];
    };
  };
  "auto-enrollment-enroll": {
    requestBody?: {
      content: {
        "application/json": {
          friendly_name: string;
          machine_id?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        content: {
          "application/json": components["schemas"]["Enrolment"];
        };
      };
      400: components["responses"]["EnrolmentBadRequest"];
      401: components["responses"]["EnrolmentUnauthorized"];
      403: components["responses"]["EnrolmentForbidden"];
      409: components["responses"]["EnrolmentConflict"];
      413: components["responses"]["EnrolmentTooLarge"];
      422: components["responses"]["EnrolmentUnprocessable"];
      429: components["responses"]["EnrolmentTooManyRequests"];
      503: components["responses"]["EnrolmentUnavailable"];
      default: components["responses"]["EnrolmentFailure"];
    };
  };
  "auto-enrollment-enroll-bulk": {
    requestBody?: {
      content: {
        "application/json": {
          hosts: {
            friendly_name: string;
            machine_id?: string;
          }[];
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        content: {
          "application/json": components["schemas"]["BulkEnrolment"];
        };
      };
      400: components["responses"]["EnrolmentBadRequest"];
      401: components["responses"]["EnrolmentUnauthorized"];
      403: components["responses"]["EnrolmentForbidden"];
      413: components["responses"]["EnrolmentTooLarge"];
      422: components["responses"]["EnrolmentUnprocessable"];
      429: components["responses"]["EnrolmentTooManyRequests"];
      503: components["responses"]["EnrolmentUnavailable"];
      default: components["responses"]["EnrolmentFailure"];
    };
  };
  "auto-enrollment-script": {
    parameters: {
      query: {
        type: "direct-host" | "proxmox-lxc";
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "text/plain": string;
        };
      };
      400: components["responses"]["EnrolmentBadRequest"];
      401: components["responses"]["EnrolmentUnauthorized"];
      403: components["responses"]["EnrolmentForbidden"];
      429: components["responses"]["EnrolmentTooManyRequests"];
      503: components["responses"]["EnrolmentUnavailable"];
      default: components["responses"]["EnrolmentFailure"];
    };
  };
  "dashboard-health": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DashboardHealth"];
        };
      };
      401: components["responses"]["DashboardUnauthorized"];
      403: components["responses"]["DashboardForbidden"];
      429: components["responses"]["DashboardTooManyRequests"];
      503: components["responses"]["DashboardUnavailable"];
      default: components["responses"]["DashboardFailure"];
    };
  };
  "dashboard-history": {
    parameters: {
      query?: {
        days?: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DashboardHistory"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-hosts-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["HostListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-hosts-create": {
    requestBody?: {
      content: {
        "application/json": {
          friendly_name: string;
        };
        "multipart/form-data": {
          friendly_name: string;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        content: {
          "application/json": components["schemas"]["CreatedHost"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-hosts-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Host"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-hosts-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-hosts-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          friendly_name?: string;
          /** @enum {string} */
          status?: "active" | "inactive";
        };
        "multipart/form-data": {
          friendly_name?: string;
          /** @enum {string} */
          status?: "active" | "inactive";
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Host"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-keys-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DashboardKeyListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-keys-create": {
    requestBody?: {
      content: {
        "application/json": {
          allowed_ip_ranges?: (string | unknown | unknown | unknown)[] | null;
          /** Format: date-time */
          expires_at?: string | null;
          /** @enum {string} */
          integration_type?: "dashboard" | "enrolment";
          /** Format: int32 */
          max_hosts_per_day?: number;
          token_name: string;
        };
        "multipart/form-data": {
          allowed_ip_ranges?: (string | unknown | unknown | unknown)[];
          /** Format: date-time */
          expires_at?: string;
          /** @enum {string} */
          integration_type?: "dashboard" | "enrolment";
          /** Format: int32 */
          max_hosts_per_day?: number;
          token_name: string;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        content: {
          "application/json": components["schemas"]["CreatedDashboardKey"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-keys-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DashboardKey"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-keys-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-keys-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          allowed_ip_ranges?: (string | unknown | unknown | unknown)[] | null;
          /** Format: date-time */
          expires_at?: string | null;
          is_active?: boolean;
          /** Format: int32 */
          max_hosts_per_day?: number;
          token_name?: string;
        };
        "multipart/form-data": {
          allowed_ip_ranges?: (string | unknown | unknown | unknown)[];
          /** Format: date-time */
          expires_at?: string;
          /** @enum {string} */
          is_active?: "0" | "1";
          /** Format: int32 */
          max_hosts_per_day?: number;
          token_name?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DashboardKey"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-keys-snippets": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DashboardSnippets"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-metrics": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "text/plain": string;
        };
      };
      401: components["responses"]["DashboardUnauthorized"];
      403: components["responses"]["DashboardForbidden"];
      429: components["responses"]["DashboardTooManyRequests"];
      503: components["responses"]["DashboardUnavailable"];
      default: components["responses"]["DashboardFailure"];
    };
  };
  "dashboard-numbers": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ExtendedDashboardStats"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-reporter": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "text/plain": string;
        };
      };
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-stats": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DashboardStats"];
        };
      };
      401: components["responses"]["DashboardUnauthorized"];
      403: components["responses"]["DashboardForbidden"];
      429: components["responses"]["DashboardTooManyRequests"];
      503: components["responses"]["DashboardUnavailable"];
      default: components["responses"]["DashboardFailure"];
    };
  };
  "dashboard-stats-extended": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["ExtendedDashboardStats"];
        };
      };
      401: components["responses"]["DashboardUnauthorized"];
      403: components["responses"]["DashboardForbidden"];
      429: components["responses"]["DashboardTooManyRequests"];
      503: components["responses"]["DashboardUnavailable"];
      default: components["responses"]["DashboardFailure"];
    };
  };
  "dashboard-usage": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DashboardUsage"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "dashboard-homepage-health": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DashboardHealth"];
        };
      };
      401: components["responses"]["DashboardUnauthorized"];
      403: components["responses"]["DashboardForbidden"];
      429: components["responses"]["DashboardTooManyRequests"];
      503: components["responses"]["DashboardUnavailable"];
      default: components["responses"]["DashboardFailure"];
    };
  };
  "dashboard-homepage-stats": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DashboardStats"];
        };
      };
      401: components["responses"]["DashboardUnauthorized"];
      403: components["responses"]["DashboardForbidden"];
      429: components["responses"]["DashboardTooManyRequests"];
      503: components["responses"]["DashboardUnavailable"];
      default: components["responses"]["DashboardFailure"];
    };
  };
  "hosts-timestamp": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["AgentTimestamp"];
        };
      };
      401: components["responses"]["AgentUnauthorized"];
      403: components["responses"]["AgentForbidden"];
      429: components["responses"]["AgentTooManyRequests"];
      503: components["responses"]["AgentUnavailable"];
      default: components["responses"]["AgentFailure"];
    };
  };
  "hosts-version": {
    parameters: {
      query?: {
        currentVersion?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["AgentVersion"];
        };
      };
      401: components["responses"]["AgentUnauthorized"];
      403: components["responses"]["AgentForbidden"];
      429: components["responses"]["AgentTooManyRequests"];
      503: components["responses"]["AgentUnavailable"];
      default: components["responses"]["AgentFailure"];
    };
  };
  "hosts-install": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "text/plain": string;
        };
      };
      400: components["responses"]["AgentBadRequest"];
      401: components["responses"]["AgentUnauthorized"];
      403: components["responses"]["AgentForbidden"];
      429: components["responses"]["AgentTooManyRequests"];
      503: components["responses"]["AgentUnavailable"];
      default: components["responses"]["AgentFailure"];
    };
  };
  "hosts-integration-status": {
    requestBody?: {
      content: {
        "application/json": {
          integration?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["AgentIntegrationStatus"];
        };
      };
      400: components["responses"]["AgentBadRequest"];
      401: components["responses"]["AgentUnauthorized"];
      403: components["responses"]["AgentForbidden"];
      413: components["responses"]["AgentTooLarge"];
      422: components["responses"]["AgentUnprocessable"];
      429: components["responses"]["AgentTooManyRequests"];
      503: components["responses"]["AgentUnavailable"];
      default: components["responses"]["AgentFailure"];
    };
  };
  "hosts-integrations": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["AgentIntegrations"];
        };
      };
      401: components["responses"]["AgentUnauthorized"];
      403: components["responses"]["AgentForbidden"];
      429: components["responses"]["AgentTooManyRequests"];
      503: components["responses"]["AgentUnavailable"];
      default: components["responses"]["AgentFailure"];
    };
  };
  "hosts-ping": {
    requestBody?: {
      content: {
        "application/json": {
          agentVersion?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Ping"];
        };
      };
      400: components["responses"]["AgentBadRequest"];
      401: components["responses"]["AgentUnauthorized"];
      403: components["responses"]["AgentForbidden"];
      413: components["responses"]["AgentTooLarge"];
      422: components["responses"]["AgentUnprocessable"];
      429: components["responses"]["AgentTooManyRequests"];
      503: components["responses"]["AgentUnavailable"];
      default: components["responses"]["AgentFailure"];
    };
  };
  "hosts-settings": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["AgentSettings"];
        };
      };
      401: components["responses"]["AgentUnauthorized"];
      403: components["responses"]["AgentForbidden"];
      429: components["responses"]["AgentTooManyRequests"];
      503: components["responses"]["AgentUnavailable"];
      default: components["responses"]["AgentFailure"];
    };
  };
  "hosts-report": {
    requestBody?: {
      content: {
        "application/json": {
          agentVersion?: string;
          architecture?: string;
          hostname?: string;
          ip?: string;
          kernelVersion?: string;
          machineId?: string;
          needsReboot?: boolean;
          osType?: string;
          osVersion?: string;
          packages: {
            availableVersion?: string;
            currentVersion?: string;
            isSecurityUpdate?: boolean;
            name: string;
            needsUpdate?: boolean;
          }[];
          rebootReason?: string;
          repositories?: {
            components?: string;
            distribution?: string;
            isEnabled?: boolean;
            isSecure?: boolean;
            name?: string;
            repoType?: string;
            url?: string;
          }[];
          /** @description The sections that the report has; without it, all of them */
          sections?: ("packages" | "repos" | "interfaces" | "hostname")[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["StoredReport"];
        };
      };
      400: components["responses"]["AgentBadRequest"];
      401: components["responses"]["AgentUnauthorized"];
      403: components["responses"]["AgentForbidden"];
      413: components["responses"]["AgentTooLarge"];
      415: components["responses"]["AgentUnsupportedEncoding"];
      422: components["responses"]["AgentUnprocessable"];
      429: components["responses"]["AgentTooManyRequests"];
      503: components["responses"]["AgentUnavailable"];
      default: components["responses"]["AgentFailure"];
    };
  };
  "hosts-interval": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["UpdateInterval"];
        };
      };
      401: components["responses"]["AgentUnauthorized"];
      403: components["responses"]["AgentForbidden"];
      429: components["responses"]["AgentTooManyRequests"];
      503: components["responses"]["AgentUnavailable"];
      default: components["responses"]["AgentFailure"];
    };
  };
  "webhooks-list": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["WebhookListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "webhooks-create": {
    requestBody: {
      content: {
        "application/json": {
          active?: boolean;
          /** Format: uri */
          endpoint: string;
          events: string[];
          name: string;
          secret?: string;
          /** Format: int32 */
          timeout?: number;
        };
        "multipart/form-data": {
          /** @enum {string} */
          active?: "0" | "1";
          /** Format: uri */
          endpoint: string;
          events: string[];
          name: string;
          secret?: string;
          /** Format: int32 */
          timeout?: number;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["CreatedWebhook"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "webhooks-read": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Webhook"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "webhooks-update": {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": {
          active?: boolean;
          /** Format: uri */
          endpoint?: string;
          events?: string[];
          name?: string;
          secret?: string;
          /** Format: int32 */
          timeout?: number;
        };
        "multipart/form-data": {
          /** @enum {string} */
          active?: "0" | "1";
          /** Format: uri */
          endpoint?: string;
          events?: string[];
          name?: string;
          secret?: string;
          /** Format: int32 */
          timeout?: number;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Webhook"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "webhooks-delete": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description No content */
      204: {};
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      413: components["responses"]["TooLarge"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "webhooks-deliveries": {
    parameters: {
      query?: {
        /** @description Records returned; clamped */
        count?: number;
        /** @description filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like */
        filter?: {
          [key: string]: string;
        };
        /** @description Records skipped */
        offset?: number;
        /** @description Field name, with - in front for descending */
        sort?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["DeliveryListing"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "webhooks-delivery": {
    parameters: {
      path: {
        deliveryId: number;
        id: number;
      };
    };
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["Delivery"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "webhooks-resend": {
    parameters: {
      path: {
        deliveryId: number;
        id: number;
      };
    };
    responses: {
      /** @description Success */
      202: {
        content: {
          "application/json": components["schemas"]["ResentDelivery"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
  "webhooks-events": {
    responses: {
      /** @description Success */
      200: {
        content: {
          "application/json": components["schemas"]["EventTypes"];
        };
      };
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      503: components["responses"]["Unavailable"];
      default: components["responses"]["Failure"];
    };
  };
}
