/* global SwaggerUIBundle */
const root = document.getElementById("swagger-ui");
const loaded = await fetch(root.dataset.document);
const spec = await loaded.json();
// Requests go to the origin of this page, whichever host name it was loaded from, so that they are not cross-origin.
spec.servers = [{ url: location.origin + root.dataset.root }];
SwaggerUIBundle({
  spec,
  dom_id: "#swagger-ui",
  deepLinking: true,
  persistAuthorization: true,
  // By default Swagger UI sends the document to an online validator.
  validatorUrl: null,
});
