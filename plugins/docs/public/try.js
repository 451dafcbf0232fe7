/* global SwaggerUIBundle */
const root = document.getElementById("swagger-ui");
SwaggerUIBundle({
  url: root.dataset.document,
  dom_id: "#swagger-ui",
  deepLinking: true,
  persistAuthorization: true,
  // Swagger UI would otherwise send the document to a service of its own.
  validatorUrl: null,
});
